/**
 * metrics.k8s.io/v1beta1: the usage of nodes and pods, as a metrics server publishes it for `kubectl top` and
 * autoscalers. Nothing is stored: objects are made from Nodes and Pods when they are read, with what a {@link
 * UsageSource} says about them.
 */
import { deepFreeze, type Json } from '../../api/json.ts'
import { milliValue, parseQuantity } from '../../api/quantity.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { timestamp, type Env } from '../../env/env.ts'
import type { Column, Resource } from '../contract/resource.ts'
import { customResources } from '../extensions/custom-resources.ts'
import { ForwardingStore } from '../storage/forwarding-store.ts'
import type { Store, Stored, StoreListOptions, StoreListResult } from '../storage/store.ts'

/** Quantities by resource: `{ cpu: '250m', memory: '64Mi' }`. */
export type ResourceUsage = Readonly<Record<string, string>>

export interface ContainerUsage {
  readonly name: string
  readonly usage: ResourceUsage
}

export interface UsageSource {
  /** Undefined if the pod does not run, or not on a node of this source. */
  pod(pod: KubeObject): readonly ContainerUsage[] | undefined
  /** `pods`: those that are bound to the node. Undefined if the node is not one of this source. */
  node(node: KubeObject, pods: readonly KubeObject[]): ResourceUsage | undefined
}

const group = 'metrics.k8s.io'
const version = 'v1beta1'
const podPrefix = '/registry/pods/'
const nodePrefix = '/registry/minions/'
/** The time over which a metrics server measures. */
const window = '15s'

/** The resources `pods` and `nodes` of the group. */
export function metricsResources(env: Env, source: UsageSource): readonly Resource[] {
  const pods = resourceOf('PodMetrics', 'pods', 'Namespaced')
  const nodes = resourceOf('NodeMetrics', 'nodes', 'Cluster')
  const headOf = (kind: string, { metadata: { name, namespace, labels } }: KubeObject) => {
    const time = timestamp(env.now())
    const metadata = {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      creationTimestamp: time,
      ...(labels === undefined ? {} : { labels }),
    }
    return { kind, apiVersion: `${group}/${version}`, metadata, timestamp: time, window }
  }
  const podMetrics = (pod: KubeObject): KubeObject | undefined => {
    const containers = source.pod(pod)
    return containers && ({ ...headOf(pods.kind, pod), containers } as unknown as KubeObject)
  }
  const nodeMetrics = (node: KubeObject, bound: readonly KubeObject[]): KubeObject | undefined => {
    const usage = source.node(node, bound)
    return usage && ({ ...headOf(nodes.kind, node), usage } as unknown as KubeObject)
  }
  return [
    derivedFrom(nodes, nodePrefix, (store) => {
      const byNode = podsByNode(store)
      return (node) => nodeMetrics(node, byNode.get(node.metadata.name ?? '') ?? [])
    }),
    derivedFrom(pods, podPrefix, () => podMetrics),
  ]
}

function podsByNode(store: Store): ReadonlyMap<string, readonly KubeObject[]> {
  const byNode = new Map<string, KubeObject[]>()
  for (const { object } of store.list(podPrefix).items) {
    const { nodeName = '' } = (object['spec'] ?? {}) as { nodeName?: string }
    const pods = byNode.get(nodeName)
    if (pods === undefined) byNode.set(nodeName, [object])
    else pods.push(object)
  }
  return byNode
}

type Derive = (object: KubeObject) => KubeObject | undefined

function derivedFrom(resource: Resource, keyPrefix: string, derivation: (store: Store) => Derive): Resource {
  return { ...resource, keyPrefix, derived: (store) => new DerivedStore(store, derivation) }
}

/** Read-only: every object is made from another one, or left out. */
class DerivedStore extends ForwardingStore {
  readonly #derivation: (store: Store) => Derive

  constructor(store: Store, derivation: (store: Store) => Derive) {
    super(store)
    this.#derivation = derivation
  }

  get(key: string): Stored | undefined {
    const stored = this.store.get(key)
    return stored && this.#derived(stored, this.#derivation(this.store))
  }

  /** All at once, as a metrics server: there is no revision at which to continue. */
  list(prefix: string, { start }: StoreListOptions = {}): StoreListResult {
    const { items, revision } = this.store.list(prefix, start === undefined ? {} : { start })
    const derive = this.#derivation(this.store)
    return { items: items.flatMap((stored) => this.#derived(stored, derive) ?? []), revision, remaining: 0 }
  }

  #derived({ key, object, revision }: Stored, derive: Derive): Stored | undefined {
    const made = derive(object)
    return made && { key, object: deepFreeze(made), revision }
  }

  put(): never {
    throw apiError.methodNotAllowed()
  }

  delete(): never {
    throw apiError.methodNotAllowed()
  }

  watch(): never {
    throw apiError.methodNotAllowed()
  }
}

const columns: readonly Column[] = [
  ['Name', 'name'],
  ['cpu', 'quantity'],
  ['memory', 'quantity'],
  ['Window', 'duration'],
].map(([name = '', format = '']) => ({ name, type: 'string', format, priority: 0 }))

/** Made from a definition, as if it were a custom resource; but it can only be read. */
function resourceOf(kind: string, plural: string, scope: 'Namespaced' | 'Cluster'): Resource {
  const names = { plural, singular: '', kind, listKind: `${kind}List` }
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const [made] = customResources({
    metadata: { name: `${plural}.${group}`, generation: 1 },
    spec: { group, scope, versions: [{ name: version, served: true, storage: true, schema }] },
    status: { acceptedNames: { ...names, singular: plural } },
  })
  const resource = made as Resource
  const cells = (object: KubeObject): Json[] => [
    object.metadata.name ?? '',
    total(object, 'cpu'),
    total(object, 'memory'),
    object['window'] as string,
  ]
  return { ...resource, singular: '', verbs: ['get', 'list'], columns, strategy: { ...resource.strategy, cells } }
}

/** Of a node, or of all containers of a pod: `250m`, `65536Ki`. */
function total(object: KubeObject, resource: string): string {
  const { usage, containers = [] } = object as { usage?: ResourceUsage; containers?: readonly ContainerUsage[] }
  const used = usage === undefined ? containers.map((each) => each.usage) : [usage]
  const milli = used.reduce((sum, each) => sum + milliValue(parseQuantity(each[resource] ?? '0')), 0n)
  return resource === 'cpu' ? `${milli}m` : `${milli / 1_024_000n}Ki`
}
