/** Quota evaluators: which quota names apply to a resource, and how much of each an object uses. */
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { compareQuantities } from '../../../api/quantity.ts'
import type { AdmissionRequest, AdmissionTarget } from '../../registry/admission.ts'
import type { Resource } from '../../contract/resource.ts'
import { int, items, struct, text } from '../../resources/shared/values.ts'
import { addAmounts, count, readAmounts, wholeAmount, type ResourceAmounts } from '../../resources/shared/amounts.ts'
import { classOf } from '../volumes.ts'
import { podEvaluator } from './pod-evaluator.ts'
import { matchesNoScope, type QuotaScope, volumeScopeMatches } from './scopes.ts'

export interface Evaluator {
  /** Whether requests of this kind can change the usage. */
  handles(target: AdmissionTarget): boolean
  /** Whether this request does, if that depends on the object. Default: it does. */
  affects?(request: AdmissionRequest): boolean
  /** Whether a name in `status.hard` applies to this resource. */
  counts(name: string): boolean
  matchesScope(scope: QuotaScope, object: KubeObject): boolean
  /** A message if the object does not set what a quota on these names requires. */
  problem?(names: readonly string[], object: KubeObject): string | undefined
  usage(object: KubeObject, now: number): ResourceAmounts
}

const oldNames = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'])

/** Never counted: resources that are not stored, and events. */
const uncounted = new Set([
  'bindings',
  'componentstatuses',
  'events',
  'events.events.k8s.io',
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
])

/** The properties of a resource that select its evaluator. */
export type CountedResource = Pick<Resource, 'group' | 'plural' | 'namespaced'>

/** By resource: `deployments.apps`. */
const objectCounts = new Map<string, Evaluator>()

/** Undefined for resources that quota does not count. */
export function evaluatorFor({ group, plural, namespaced }: CountedResource): Evaluator | undefined {
  const name = group === '' ? plural : `${plural}.${group}`
  if (!namespaced || uncounted.has(name)) return undefined
  let evaluator = special.get(name) ?? objectCounts.get(name)
  if (evaluator === undefined) {
    evaluator = objectCount(name)
    objectCounts.set(name, evaluator)
  }
  return evaluator
}

/** For most resources a quota limits only the number of objects. */
function objectCount(resource: string): Evaluator {
  const names = oldNames.has(resource) ? [`count/${resource}`, resource] : [`count/${resource}`]
  const one = count(1)
  return {
    handles: ({ subresource, operation }) => subresource === '' && operation === 'CREATE',
    counts: (name) => names.includes(name),
    matchesScope: matchesNoScope,
    usage: () => new Map(names.map((name) => [name, one])),
  }
}

const isWrite = ({ subresource, operation }: AdmissionTarget) =>
  subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')

const serviceNames = new Set(['count/services', 'services', 'services.nodeports', 'services.loadbalancers'])

const services: Evaluator = {
  handles: isWrite,
  counts: (name) => serviceNames.has(name),
  matchesScope: matchesNoScope,
  usage(object) {
    const spec = struct(object.spec) ?? {}
    const balanced = spec.type === 'LoadBalancer'
    return new Map([
      ['count/services', count(1)],
      ['services', count(1)],
      ['services.nodeports', count(balanced || spec.type === 'NodePort' ? nodePorts(spec, balanced) : 0)],
      ['services.loadbalancers', count(balanced ? 1 : 0)],
    ])
  },
}

/** Node ports are allocated after admission, so this counts the ports that need one. */
function nodePorts(spec: JsonObject, balanced: boolean): number {
  const ports = items(spec.ports)
  if (!balanced || spec.allocateLoadBalancerNodePorts !== false) return ports.length
  return ports.filter(({ nodePort }) => int(nodePort) !== 0).length
}

const claimNames = ['persistentvolumeclaims', 'requests.storage']
const ofClass = '.storageclass.storage.k8s.io/'

const claims: Evaluator = {
  handles: (target) => isWrite(target) || (target.subresource === 'status' && target.operation === 'UPDATE'),
  counts: (name) =>
    name === 'count/persistentvolumeclaims' ||
    claimNames.includes(name) ||
    claimNames.some((own) => name.endsWith(ofClass + own)),
  matchesScope: volumeScopeMatches,
  usage(object) {
    const one = count(1)
    const usage: ResourceAmounts = new Map([
      ['persistentvolumeclaims', one],
      ['count/persistentvolumeclaims', one],
    ])
    const storageClass = classOf(object)
    if (storageClass !== '') usage.set(`${storageClass}${ofClass}persistentvolumeclaims`, one)
    const asked = readAmounts(struct(struct(object.spec)?.resources)?.requests).get('storage')
    if (asked === undefined) return usage
    const allocated = readAmounts(struct(object.status)?.allocatedResources).get('storage')
    const isMore = allocated !== undefined && compareQuantities(allocated, wholeAmount(asked)) > 0
    const storage = wholeAmount(isMore ? allocated : asked)
    usage.set('requests.storage', storage)
    if (storageClass !== '') usage.set(`${storageClass}${ofClass}requests.storage`, storage)
    return usage
  },
}

const claimCount = 'count/resourceclaims.resource.k8s.io'
const ofDevices = '.deviceclass.resource.k8s.io/devices'
/** The count for allocationMode `All`: the maximum number of devices of one claim. */
const allDevices = 32

const resourceClaims: Evaluator = {
  handles: isWrite,
  counts: (name) => name === claimCount || name.endsWith(ofDevices),
  matchesScope: matchesNoScope,
  usage(object) {
    const usage: ResourceAmounts = new Map([[claimCount, count(1)]])
    for (const request of items(struct(struct(object.spec)?.devices)?.requests)) {
      const choices = items(request.firstAvailable)
      const exactly = struct(request.exactly)
      const most = new Map<string, number>()
      for (const choice of choices.length > 0 || exactly === undefined ? choices : [exactly]) {
        const name = text(choice.deviceClassName) + ofDevices
        most.set(name, Math.max(most.get(name) ?? 0, devices(choice)))
      }
      for (const [name, number] of most) addAmounts(usage, new Map([[name, count(number)]]))
    }
    return usage
  },
}

function devices(request: JsonObject): number {
  if (request.allocationMode === 'All') return allDevices
  return request.allocationMode === 'ExactCount' ? int(request.count) : 0
}

const special: ReadonlyMap<string, Evaluator> = new Map([
  ['pods', podEvaluator],
  ['services', services],
  ['persistentvolumeclaims', claims],
  ['resourceclaims.resource.k8s.io', resourceClaims],
])
