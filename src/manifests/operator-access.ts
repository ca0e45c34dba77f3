/** The permissions that an operator needs, from the declarations of its controllers, including those of the runtime. */
import type { Access } from '../controller/access.ts'
import { controllerAccess } from '../controller/controller-access.ts'
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import {
  CoreEvent,
  CustomResourceDefinition,
  Lease,
  MutatingWebhookConfiguration,
  Secret,
  SubjectAccessReview,
  TokenReview,
  ValidatingWebhookConfiguration,
} from '../schema/builtin/kinds.ts'
import { kindName } from '../schema/kind.ts'
import { metricsOf } from './metrics.ts'
import { conversionsOf, definitionName, webhooksName } from '../webhooks/configurations.ts'

export interface NeededAccess extends Access {
  /** `own`: in the operator's namespace. A list: in these namespaces. Default: in all namespaces that it watches. */
  readonly where?: 'own' | readonly string[] | undefined
  /** Needed by the runtime, possibly only in rare cases; not declared by the operator's author. */
  readonly byRuntime?: true
}

export function operatorAccess(definition: OperatorDefinition): readonly NeededAccess[] {
  const { controllers, access = [] } = definition
  return [...controllers.flatMap(controllerAccess), ...access, ...runtimeAccess(definition)]
}

function runtimeAccess(definition: OperatorDefinition): readonly NeededAccess[] {
  const { controllers, defaults = {} } = definition
  const aboutCluster = controllers.some(({ kind }) => !kind.namespaced)
  const awaited = (defaults['wait-for'] ?? '').split(',').flatMap((each) => /^crd\/(.+)$/.exec(each.trim())?.[1] ?? [])
  return [
    { verbs: ['create', 'patch'], kind: CoreEvent, byRuntime: true },
    // Events about cluster-scoped objects are in this namespace.
    ...(aboutCluster
      ? [{ verbs: ['create', 'patch'], kind: CoreEvent, where: ['default'], byRuntime: true } as const]
      : []),
    ...leaseAccess(definition),
    ...webhookAccess(definition),
    ...metricsAccess(definition),
    ...(awaited.length === 0
      ? []
      : [{ verbs: ['get'], kind: CustomResourceDefinition, names: awaited, byRuntime: true } as const]),
  ]
}

/** With shards, the names of the replicas' membership leases are not known in advance. */
function leaseAccess({ name, defaults = {} }: OperatorDefinition): readonly NeededAccess[] {
  const id = defaults['leader-election-id'] ?? name
  const shards = Number(defaults['shards'] ?? 0)
  const where = defaults['leader-election-namespace'] === undefined ? 'own' : [defaults['leader-election-namespace']]
  const lease = { kind: Lease, where, byRuntime: true } as const
  if (shards === 0) return [{ verbs: ['get', 'create', 'update'], ...lease, names: [id] }]
  const names = Array.from({ length: shards }, (_, shard) => `${id}-${shard}`)
  return [
    { verbs: ['get', 'update'], ...lease, names },
    { verbs: ['list', 'create', 'patch', 'delete'], ...lease },
  ]
}

/** Certificates in a Secret, and the CA in webhook configurations. */
function webhookAccess({ name, webhooks = [] }: OperatorDefinition): readonly NeededAccess[] {
  if (webhooks.length === 0) return []
  const names = [webhooksName(name)]
  const configured = [
    ['mutating', MutatingWebhookConfiguration],
    ['validating', ValidatingWebhookConfiguration],
  ] as const
  const definitions = conversionsOf(webhooks).map(definitionName)
  return [
    { verbs: ['get', 'create', 'update'], kind: Secret, names, where: 'own', byRuntime: true },
    ...configured
      .filter(([type]) => webhooks.some((webhook) => webhook.type === type))
      .map(([, kind]) => ({ verbs: ['get', 'patch'], kind, names, byRuntime: true }) as const),
    ...(definitions.length === 0
      ? []
      : [{ verbs: ['get', 'patch'], kind: CustomResourceDefinition, names: definitions, byRuntime: true } as const]),
  ]
}

/** Callers of secure metrics are reviewed by the API server. */
function metricsAccess(definition: OperatorDefinition): readonly NeededAccess[] {
  if (metricsOf(definition)?.isSecure !== true) return []
  return [TokenReview, SubjectAccessReview].map((kind) => ({ verbs: ['create'], kind, byRuntime: true }) as const)
}

/** The resource of a permission in messages: `deployments.apps`, `webapps.coxswain.dev/status`. */
export function targetName({ kind, subresource }: Pick<Access, 'kind' | 'subresource'>): string {
  return subresource === undefined ? kindName(kind) : `${kindName(kind)}/${subresource}`
}
