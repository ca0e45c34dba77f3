/** Plugins that are off by default. */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { thaw } from '../../api/recurring-part.ts'
import { apiError } from '../../api/status.ts'
import type { AdmissionRequest, AdmissionTarget } from '../registry/admission.ts'
import { entries, items, size, specOf, strings, struct, text } from '../resources/shared/values.ts'
import { on, rejected, type AdmissionPlugin, type AdmissionServices } from './plugin.ts'
import { isExtended } from './quota/pod-evaluator.ts'

export const alwaysAdmit: AdmissionPlugin = { name: 'AlwaysAdmit' }

const isInNamespace = ({ resource }: AdmissionTarget) => resource.namespaced

export function namespaceAutoProvision(services: AdmissionServices): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    mutate: {
      concerns: (target) => isInNamespace(target) && target.operation === 'CREATE',
      run: (request) => {
        const { context, namespace } = request
        if (context.dryRun || context.lookup('', 'namespaces', '', namespace) !== undefined) return
        const failure = services.create('namespaces', { metadata: { name: namespace } })
        if (failure !== undefined && failure.reason !== 'AlreadyExists') throw rejected(request, failure.message ?? '')
      },
    },
  }
}

export const namespaceExists: AdmissionPlugin = {
  name: 'NamespaceExists',
  validate: {
    concerns: (target) => isInNamespace(target) && target.operation !== 'CONNECT',
    run: ({ context, namespace }) => {
      if (context.lookup('', 'namespaces', '', namespace) !== undefined) return
      throw apiError.notFound({ group: '', resource: 'namespaces' }, namespace)
    },
  },
}

const hostname = 'kubernetes.io/hostname'

function checkTopology({ object }: AdmissionRequest): void {
  const given = struct(struct(specOf(object as KubeObject).affinity)?.podAntiAffinity)
  const terms = items(given?.requiredDuringSchedulingIgnoredDuringExecution)
  const wrong = terms.find(({ topologyKey }) => topologyKey !== hostname)
  if (wrong === undefined) return
  const why =
    `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${text(wrong.topologyKey)} ` +
    `but only key ${hostname} is allowed`
  throw apiError.forbidden({ group: '', resource: 'pods' }, object?.metadata.name ?? '', why)
}

export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  validate: { concerns: on('', 'pods', ['CREATE', 'UPDATE']), run: checkTopology },
}

function containersOf(spec: JsonObject): readonly JsonObject[] {
  return [...items(spec.initContainers), ...items(spec.containers), ...items(spec.ephemeralContainers)]
}

/** An update without a new image changes nothing. */
function alwaysPull({ object, old }: AdmissionRequest): void {
  const spec = specOf(object as KubeObject)
  if (old !== undefined) {
    const known = new Set(containersOf(struct(old.spec) ?? {}).map(({ image }) => text(image)))
    if (containersOf(spec).every(({ image }) => known.has(text(image)))) return
  }
  thaw(spec)
  for (const container of containersOf(spec)) container.imagePullPolicy = 'Always'
  for (const volume of items(spec.volumes)) {
    const image = struct(volume.image)
    if (image !== undefined) image.pullPolicy = 'Always'
  }
}

export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  mutate: { concerns: on('', 'pods', ['CREATE', 'UPDATE']), run: alwaysPull },
}

function tolerateExtended({ object }: AdmissionRequest): void {
  const spec = specOf(object as KubeObject)
  const names = new Set<string>()
  for (const container of [...items(spec.containers), ...items(spec.initContainers)]) {
    for (const [name] of entries(struct(container.resources)?.requests)) if (isExtended(name)) names.add(name)
  }
  if (names.size === 0) return
  const missing = new Set(names)
  const tolerations = items(spec.tolerations).map((given) => {
    const key = text(given.key)
    const isSame = given.effect === 'NoSchedule' && given.operator === 'Exists' && text(given.value) === ''
    if (!isSame || !names.has(key)) return given
    missing.delete(key)
    return tolerating(key)
  })
  spec.tolerations = [...tolerations, ...[...missing].sort().map(tolerating)]
}

function tolerating(key: string): JsonObject {
  return { key, operator: 'Exists', effect: 'NoSchedule' }
}

export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  mutate: { concerns: on('', 'pods', ['CREATE', 'UPDATE']), run: tolerateExtended },
}

function denyExternal(request: AdmissionRequest): void {
  const wanted = strings(specOf(request.object as KubeObject).externalIPs)
  const before = struct(request.old?.spec)?.externalIPs
  if (size(wanted) === 0) return
  const known = new Set(strings(before))
  if (request.old !== undefined && wanted.every((ip) => known.has(ip))) return
  throw rejected(request, 'Use of external IPs is denied by admission control')
}

export const denyServiceExternalIPs: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  validate: { concerns: on('', 'services', ['CREATE', 'UPDATE']), run: denyExternal },
}
