/**
 * TaintNodesByCondition: taints new nodes, so that no pod is scheduled there before they are ready.
 * DefaultTolerationSeconds: lets pods stay on a lost node for a while, in case it comes back. PodTopologyLabels: copies
 * the region and zone labels of the node to its pods.
 */
import { deepFreeze, setOwn, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { AdmissionRequest } from '../registry/admission.ts'
import { entry, items, specOf, struct, text } from '../resources/shared/values.ts'
import { on, type AdmissionPlugin } from './plugin.ts'

const notReady = 'node.kubernetes.io/not-ready'
const toleratedTaints = [notReady, 'node.kubernetes.io/unreachable']
const defaultTolerationPeriodSeconds = 300

function taintNode({ object }: AdmissionRequest): void {
  const spec = specOf(object as KubeObject)
  const taints = items(spec.taints)
  if (taints.some((taint) => taint.key === notReady && taint.effect === 'NoSchedule')) return
  spec.taints = [...taints, { key: notReady, effect: 'NoSchedule' }]
}

export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate: { concerns: on('', 'nodes', ['CREATE']), run: taintNode },
}

/** Shared by all pods without tolerations of their own. */
const usualTolerations: JsonObject[] = deepFreeze(
  toleratedTaints.map((key): JsonObject => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: defaultTolerationPeriodSeconds,
  })),
)

function tolerate({ object }: AdmissionRequest): void {
  const spec = specOf(object as KubeObject)
  const given = items(spec.tolerations)
  if (given.length === 0) {
    spec.tolerations = usualTolerations
    return
  }
  const added = usualTolerations.filter(({ key }) => !given.some((toleration) => bears(toleration, key as string)))
  if (added.length > 0) spec.tolerations = [...given, ...added]
}

function bears(toleration: JsonObject, taint: string): boolean {
  const key = text(toleration.key)
  const effect = text(toleration.effect)
  return (key === '' || key === taint) && (effect === '' || effect === 'NoExecute')
}

export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate: { concerns: on('', 'pods', ['CREATE', 'UPDATE']), run: tolerate },
}

const topologyLabels = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone']

/** The object is a Pod with `spec.nodeName`, or a Binding to a node. */
function copyLabels({ object, subresource, context }: AdmissionRequest): void {
  const { metadata } = object as KubeObject
  const target = struct((object as KubeObject).target)
  if (subresource === 'binding' && target?.kind !== 'Node') return
  const name = text(subresource === 'binding' ? target?.name : struct((object as KubeObject).spec)?.nodeName)
  if (name === '') return
  const labels = context.lookup('', 'nodes', '', name)?.metadata.labels
  for (const label of topologyLabels) {
    const value = entry(labels, label)
    if (value !== undefined) setOwn((metadata.labels ??= {}), label, value)
  }
}

export const podTopologyLabels: AdmissionPlugin = {
  name: 'PodTopologyLabels',
  mutate: { concerns: on('', 'pods', ['CREATE'], ['', 'binding']), run: copyLabels },
}
