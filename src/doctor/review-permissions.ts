/** Asks the server whether an account has the permissions of roles. Access reviews change nothing. */
import type { KubeObject } from '../api/object.ts'
import type { Client } from '../client/client.ts'
import { SelfSubjectAccessReview, SubjectAccessReview } from '../schema/builtin/kinds.ts'
import type { MissingPermission } from './operator-facts.ts'
import type { Reader } from './reader.ts'

export interface ServiceAccountName {
  readonly namespace: string
  readonly name: string
}

interface Permission {
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  readonly verb: string
  readonly name?: string
  readonly namespace?: string
}

interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly verbs?: readonly string[]
  readonly resourceNames?: readonly string[]
}

/** `account` undefined: the user of the client. */
export async function reviewPermissions(
  client: Client,
  reader: Reader,
  roles: readonly KubeObject[],
  account: ServiceAccountName | undefined,
): Promise<readonly MissingPermission[]> {
  const reviewed = await Promise.all(
    roles.flatMap(permissionsOf).map(async (permission) => {
      const answer = await reader.tried('access reviews', () => isAllowed(client, permission, account))
      return answer === false ? [{ text: permissionText(permission) }] : []
    }),
  )
  return reviewed.flat()
}

function permissionsOf(role: KubeObject): readonly Permission[] {
  const { namespace } = role.metadata
  const rules = (role['rules'] ?? []) as readonly Rule[]
  return rules.flatMap(({ apiGroups = [], resources = [], verbs = [], resourceNames }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((path) => {
        const [resource = '', subresource] = path.split('/')
        const what = { group, resource, ...(subresource === undefined ? {} : { subresource }) }
        const where = namespace === undefined ? {} : { namespace }
        return verbs.flatMap((verb): readonly Permission[] =>
          (resourceNames ?? [undefined]).map((name) => ({
            ...what,
            ...where,
            verb,
            ...(name === undefined ? {} : { name }),
          })),
        )
      }),
    ),
  )
}

async function isAllowed(
  client: Client,
  permission: Permission,
  account: ServiceAccountName | undefined,
): Promise<boolean> {
  const resourceAttributes = { ...permission }
  if (account === undefined) {
    const own = await client.create(SelfSubjectAccessReview, { metadata: {}, spec: { resourceAttributes } })
    return own.status?.allowed === true
  }
  const { namespace, name } = account
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']
  const user = `system:serviceaccount:${namespace}:${name}`
  const spec = { user, groups, resourceAttributes }
  const review = await client.create(SubjectAccessReview, { metadata: {}, spec })
  return review.status?.allowed === true
}

function permissionText({ verb, group, resource, subresource, name, namespace }: Permission): string {
  const kind = `${resource}${group === '' ? '' : `.${group}`}`
  const parts = [kind, ...(name === undefined ? [] : [name]), ...(subresource === undefined ? [] : [subresource])]
  return `${verb} ${parts.join('/')}${namespace === undefined ? '' : ` in ${namespace}`}`
}
