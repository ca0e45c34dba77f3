/** Filters of volumes that do not depend on binding: claims of a single pod, and the zones of bound volumes. */
import type { Live, Node, PersistentVolume } from '../index.ts'
import type { Placement } from './affinity.ts'
import { claimsOf } from './pod-claims.ts'
import type { PodVolumes } from './pod-volumes.ts'

/** Another pod on a node uses a claim that only one pod may use. */
export function isClaimTaken({ volumes, incoming, nodes, usageOf }: Placement): boolean {
  const exclusive = volumes?.exclusive ?? []
  if (exclusive.length === 0) return false
  const { namespace } = incoming.pod.metadata
  return nodes.some(({ metadata }) =>
    usageOf(metadata.name).pods.some(
      ({ pod }) => pod.metadata.namespace === namespace && claimsOf(pod).some(({ name }) => exclusive.includes(name)),
    ),
  )
}

/** The labels of zones and regions; the old ones of volumes also match the current ones of nodes. */
const topologyLabels: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region': 'topology.kubernetes.io/region',
}

/** A node without zone and region can reach all volumes. */
export function isInZones({ bound }: PodVolumes, { metadata: { labels = {} } }: Live<Node>): boolean {
  const names = Object.keys(topologyLabels)
  if (!names.some((name) => labels[name] !== undefined)) return true
  return bound.every((volume) => names.every((name) => matchesZone(volume, name, labels)))
}

function matchesZone(
  volume: Live<PersistentVolume> | undefined,
  name: string,
  labels: Readonly<Record<string, string>>,
): boolean {
  const zones = volume?.metadata.labels?.[name]
  if (zones === undefined) return true
  const zone = labels[name] ?? labels[topologyLabels[name] ?? name]
  return zone !== undefined && zones.split('__').includes(zone)
}
