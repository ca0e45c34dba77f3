/** Reads what findings about an operator need. */
import type { KubeObject } from '../api/object.ts'
import type { Client } from '../client/client.ts'
import { KindNotServedError, type RestMapper } from '../client/rest-mapper.ts'
import {
  CustomResourceDefinition,
  Deployment,
  EndpointSlice,
  Lease,
  MutatingWebhookConfiguration,
  ServiceAccount,
  ValidatingWebhookConfiguration,
} from '../schema/builtin/kinds.ts'
import { kindName, type Kind } from '../schema/kind.ts'
import { isBuiltIn } from './examined.ts'
import type { Declared, DeclaredLease, DeclaredWebhooks, OperatorFacts, OperatorToExamine } from './operator-facts.ts'
import type { Reader } from './reader.ts'
import { reviewPermissions } from './review-permissions.ts'
import { clientConfigs } from './webhooks.ts'

export interface OperatorRequest {
  readonly operator: OperatorToExamine
  /** The path of the module, for commands. */
  readonly module: string
  /** The namespace in which it runs. Default: its name with `-system`. */
  readonly namespace?: string | undefined
}

export async function readOperatorFacts(
  client: Client,
  reader: Reader,
  mapper: RestMapper,
  { operator, module, namespace = `${operator.name}-system` }: OperatorRequest,
  now: number,
): Promise<OperatorFacts> {
  const { objects } = await operator.manifests({ namespace })
  const ofKind = (...kinds: readonly Kind[]): Promise<readonly Declared[]> =>
    Promise.all(
      kinds.flatMap((kind) =>
        objects
          .filter((each) => each.kind === kind.kind)
          .map(async (wanted) => ({ kind, wanted, actual: await reader.get(kind, keyOf(wanted)) })),
      ),
    )
  const definitions = await ofKind(CustomResourceDefinition)
  const [deployment] = await ofKind(Deployment)
  const configurations = await ofKind(MutatingWebhookConfiguration, ValidatingWebhookConfiguration)
  const converted = definitions.filter(({ wanted }) => clientConfigs(wanted).length > 0)
  const webhooks = await Promise.all([...configurations, ...converted].map((each) => withEndpoints(reader, each)))
  const unserved = await unservedKinds(reader, mapper, operator, definitions)
  const permissions = await readPermissions(client, reader, objects)
  const leases = await Promise.all(leaseKeys(operator, namespace).map((key) => readLease(reader, key)))
  return { operator, module, namespace, now, definitions, unserved, ...permissions, deployment, leases, webhooks }
}

function keyOf({ metadata: { namespace, name = '' } }: KubeObject): { namespace: string | undefined; name: string } {
  return { namespace, name }
}

async function withEndpoints(reader: Reader, declared: Declared): Promise<DeclaredWebhooks> {
  const { actual } = declared
  const configs = actual === undefined || actual === 'absent' ? [] : clientConfigs(actual.object)
  const services = new Map(
    configs.flatMap(({ service }) =>
      service === undefined ? [] : [[`${service.namespace}/${service.name}`, service]],
    ),
  )
  const checked = await Promise.all(
    [...services].map(async ([text, { namespace = '', name = '' }]) => {
      const labelSelector = `kubernetes.io/service-name=${name}`
      const slices = await reader.list(EndpointSlice, { namespace, labelSelector })
      return slices === undefined || slices.some(({ object }) => hasReadyEndpoint(object)) ? [] : [text]
    }),
  )
  return { ...declared, withoutEndpoints: checked.flat() }
}

function hasReadyEndpoint(slice: KubeObject): boolean {
  const endpoints = (slice['endpoints'] ?? []) as readonly { readonly conditions?: { readonly ready?: boolean } }[]
  return endpoints.some(({ conditions }) => conditions?.ready !== false)
}

/** Kinds that the operator watches, and others define. */
async function unservedKinds(
  reader: Reader,
  mapper: RestMapper,
  { controllers }: OperatorToExamine,
  definitions: readonly Declared[],
): Promise<readonly Kind[]> {
  const own = new Set(definitions.map(({ wanted }) => wanted.metadata.name))
  const watched = controllers.flatMap(({ kind, sources }) => [kind, ...sources.map((source) => source.kind)])
  const foreign = new Map(
    watched
      .filter((kind) => !isBuiltIn(kind) && !own.has(kindName(kind)))
      .map((kind) => [`${kindName(kind)} ${kind.version}`, kind]),
  )
  const asked = await Promise.all(
    [...foreign.values()].map(async (kind) => {
      const isServed = await reader.tried('the list of served kinds', async () => {
        try {
          await mapper.kindFor(kind)
          return true
        } catch (error) {
          if (error instanceof KindNotServedError) return false
          throw error
        }
      })
      return isServed === false ? [kind] : []
    }),
  )
  return asked.flat()
}

/** Of the service account, if it is deployed; otherwise of the user, who may run the operator outside. */
async function readPermissions(
  client: Client,
  reader: Reader,
  objects: readonly KubeObject[],
): Promise<Pick<OperatorFacts, 'account' | 'missing'>> {
  const account = objects.find(({ kind }) => kind === 'ServiceAccount')
  if (account === undefined) return { account: '', missing: [] }
  const { name = '', namespace = '' } = account.metadata
  const found = await reader.get(ServiceAccount, { namespace, name })
  if (found === undefined) return { account: '', missing: [] }
  const isDeployed = found !== 'absent'
  const roles = objects.filter(
    (each) => (each.kind === 'Role' || each.kind === 'ClusterRole') && each.metadata.name === name,
  )
  const missing = await reviewPermissions(client, reader, roles, isDeployed ? { namespace, name } : undefined)
  return { account: isDeployed ? `The service account ${namespace}/${name}` : 'Your user', missing }
}

type LeaseKey = Pick<DeclaredLease, 'namespace' | 'name'>

/** One, or one for each shard. */
function leaseKeys({ name, defaults = {} }: OperatorToExamine, own: string): readonly LeaseKey[] {
  const id = defaults['leader-election-id'] ?? name
  const namespace = defaults['leader-election-namespace'] ?? own
  const shards = Number(defaults['shards'] ?? 0)
  if (shards === 0) return [{ namespace, name: id }]
  return Array.from({ length: shards }, (_, shard) => ({ namespace, name: `${id}-${shard}` }))
}

async function readLease(reader: Reader, key: LeaseKey): Promise<DeclaredLease> {
  return { ...key, actual: await reader.get(Lease, key) }
}
