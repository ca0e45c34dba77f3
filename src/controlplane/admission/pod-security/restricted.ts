/** The checks of the restricted level, in addition to those of the baseline: hardening against privilege escalation. */
import type { JsonObject } from '../../../api/json.ts'
import { items, strings, struct, text } from '../../resources/shared/values.ts'
import { procMount } from './baseline.ts'
import {
  containersText,
  namesOf,
  plural,
  quoted,
  securityOf,
  settersText,
  sorted,
  unlessOwnUsers,
  unlessWindows,
  type PodSecurityCheck,
  type CheckedPod,
  type Violation,
} from './check.ts'
import { seccompRestricted } from './seccomp.ts'

function privilegeEscalation(pod: CheckedPod): Violation | undefined {
  const names = namesOf(pod, (container) => securityOf(container)?.allowPrivilegeEscalation !== false)
  if (names.length === 0) return undefined
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
  }
}

function capabilities(pod: CheckedPod): Violation | undefined {
  const of = (container: JsonObject) => struct(securityOf(container)?.capabilities)
  const keeping = namesOf(pod, (container) => !strings(of(container)?.drop).includes('ALL'))
  const added = new Set<string>()
  const adding = namesOf(pod, (container) => {
    const bad = strings(of(container)?.add).filter((name) => name !== 'NET_BIND_SERVICE')
    for (const name of bad) added.add(name)
    return bad.length > 0
  })
  const details: string[] = []
  if (keeping.length > 0) details.push(`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`)
  if (adding.length > 0) {
    details.push(
      `${containersText(adding)} must not include ${quoted(sorted(added))} in securityContext.capabilities.add`,
    )
  }
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') }
}

const allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
]
const restrictedVolumes = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
]

function volumes({ spec }: CheckedPod): Violation | undefined {
  const names: string[] = []
  const types = new Set<string>()
  for (const volume of items(spec.volumes)) {
    if (allowedVolumes.some((type) => volume[type] !== undefined)) continue
    names.push(text(volume.name))
    types.add(restrictedVolumes.find((type) => volume[type] !== undefined) ?? 'unknown')
  }
  if (names.length === 0) return undefined
  const uses = `${plural(names.length, 'uses', 'use')} ${plural(types.size, 'restricted volume type')}`
  return {
    reason: 'restricted volume types',
    detail: `${plural(names.length, 'volume')} ${quoted(names)} ${uses} ${quoted(sorted(types))}`,
  }
}

function runAsNonRoot(pod: CheckedPod): Violation | undefined {
  const reason = 'runAsNonRoot != true'
  const ofPod = pod.security?.runAsNonRoot
  const setters = settersText(
    ofPod === false,
    namesOf(pod, (container) => securityOf(container)?.runAsNonRoot === false),
  )
  if (setters !== '') return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` }
  if (ofPod === true) return undefined
  const names = namesOf(pod, (container) => securityOf(container)?.runAsNonRoot === undefined)
  if (names.length === 0) return undefined
  return { reason, detail: `pod or ${containersText(names)} must set securityContext.runAsNonRoot=true` }
}

function runAsUser(pod: CheckedPod): Violation | undefined {
  const isRoot = (security: JsonObject | undefined) => security?.runAsUser === 0
  const setters = settersText(
    isRoot(pod.security),
    namesOf(pod, (container) => isRoot(securityOf(container))),
  )
  return setters === '' ? undefined : { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` }
}

const level = 'restricted'

export const restrictedChecks: readonly PodSecurityCheck[] = [
  {
    id: 'allowPrivilegeEscalation',
    level,
    versions: [
      [8, privilegeEscalation],
      [25, unlessWindows(privilegeEscalation)],
    ],
  },
  {
    id: 'capabilities_restricted',
    level,
    overrides: 'capabilities_baseline',
    versions: [
      [22, capabilities],
      [25, unlessWindows(capabilities)],
    ],
  },
  { id: 'procMount_restricted', level, overrides: 'procMount', versions: [[35, procMount]] },
  { id: 'restrictedVolumes', level, overrides: 'hostPathVolumes', versions: [[0, volumes]] },
  {
    id: 'runAsNonRoot',
    level,
    versions: [
      [0, runAsNonRoot],
      [35, unlessOwnUsers(runAsNonRoot)],
    ],
  },
  {
    id: 'runAsUser',
    level,
    versions: [
      [23, runAsUser],
      [35, unlessOwnUsers(runAsUser)],
    ],
  },
  {
    id: 'seccompProfile_restricted',
    level,
    overrides: 'seccompProfile_baseline',
    versions: [
      [19, seccompRestricted],
      [25, unlessWindows(seccompRestricted)],
    ],
  },
]
