/**
 * A policy shows parameters to whoever sends a request: the user who writes a policy or binding must be allowed to read
 * them. Checked only if everything else is valid.
 */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { parseApiVersion, type KubeObject } from '../../../api/object.ts'
import type { UserInfo, WriteContext } from '../../contract/resource.ts'
import { sameMeaning } from '../shared/errors.ts'
import { specOf, struct, text } from '../shared/values.ts'

/** The errors of a valid policy. `old` is undefined for a create. */
export function paramKindErrors(object: KubeObject, old: KubeObject | undefined, context: WriteContext): FieldError[] {
  const { grants, user } = context
  const paramKind = struct(specOf(object).paramKind)
  if (grants === undefined || paramKind === undefined) return []
  if (old !== undefined && sameMeaning(paramKind, struct(old.spec)?.paramKind)) return []
  const { group, plural } = resourceOf(paramKind, grants)
  if (grants.mayRead('get', group, plural, '*', '*')) return []
  const kind = `kind=${text(paramKind.kind)}, apiVersion=${text(paramKind.apiVersion)}`
  const why = `must have "get" permission on all objects of the referenced paramKind (${kind})`
  return [fieldError.forbidden('spec.paramKind', `user ${shown(user)} ${why}`)]
}

/** The errors of a valid binding to a policy of this resource. */
export function paramRefErrors(object: KubeObject, policies: string, context: WriteContext): FieldError[] {
  const { grants, user } = context
  const spec = specOf(object)
  const paramRef = struct(spec.paramRef)
  if (grants === undefined || paramRef === undefined) return []
  const name = text(spec.policyName)
  const policy = context.lookup('admissionregistration.k8s.io', policies, '', name)
  const paramKind = struct(struct(policy?.spec)?.paramKind)
  const verb = text(paramRef.name) === '' ? 'list' : 'get'
  const { group, plural } = paramKind === undefined ? everything : resourceOf(paramKind, grants)
  if (grants.mayRead(verb, group, plural, text(paramRef.namespace), text(paramRef.name))) return []
  const forbidden = (why: string): FieldError[] => [fieldError.forbidden('spec.paramRef', why)]
  const minimum = 'to determine minimum required permissions and user'
  const lacks = `${shown(user)} does not have "${verb}" permission for all groups, versions and resources`
  if (policy === undefined) return forbidden(`unable to get policy ${name} ${minimum} ${lacks}`)
  if (paramKind !== undefined && plural === '*') {
    const given = `&{${text(paramKind.apiVersion)} ${text(paramKind.kind)}}`
    return forbidden(`unable to resolve paramKind ${given} ${minimum} ${lacks}`)
  }
  // Upstream exchanges the two for mutating policies.
  const [who, what] = policies.startsWith('mutating') ? [verb, shown(user)] : [shown(user), verb]
  return forbidden(`user ${who} does not have "${what}" permission on the object referenced by paramRef`)
}

const everything = { group: '*', plural: '*' }

function resourceOf(
  paramKind: JsonObject,
  { resourceOf: served }: NonNullable<WriteContext['grants']>,
): { readonly group: string; readonly plural: string } {
  const [apiVersion, kind] = [text(paramKind.apiVersion), text(paramKind.kind)]
  return { group: parseApiVersion(apiVersion)?.group ?? '*', plural: served(apiVersion, kind) ?? '*' }
}

/** As Go prints a pointer to a user. */
function shown({ name, uid, groups, extra = {} }: UserInfo): string {
  const entries = Object.keys(extra)
    .toSorted()
    .map((key) => `${key}:[${(extra[key] ?? []).join(' ')}]`)
  return `&{${name} ${uid} [${groups.join(' ')}] map[${entries.join(' ')}]}`
}
