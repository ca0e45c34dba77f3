/** Manifests of every stable built-in kind. CustomResourceDefinitions have their own tables. */
import { admissionregistrationManifests } from './admissionregistration.ts'
import { appsManifests } from './apps.ts'
import { autoscalingManifests } from './autoscaling.ts'
import { batchManifests } from './batch.ts'
import { coreConfig } from './core-config.ts'
import { coreNetwork } from './core-network.ts'
import { corePods } from './core-pods.ts'
import { coreStorage } from './core-storage.ts'
import { flowcontrolManifests } from './flowcontrol.ts'
import type { KindManifests } from './manifest.ts'
import { networkingManifests } from './networking.ts'
import { policyManifests } from './policy.ts'
import { rbacManifests } from './rbac.ts'
import { resourceManifests } from './resource.ts'
import { smallGroups } from './small-groups.ts'
import { storageManifests } from './storage.ts'

export type { BadVariant, KindManifests } from './manifest.ts'

export const manifests: readonly KindManifests[] = [
  ...coreConfig,
  ...coreNetwork,
  ...corePods,
  ...coreStorage,
  ...appsManifests,
  ...batchManifests,
  ...autoscalingManifests,
  ...networkingManifests,
  ...policyManifests,
  ...rbacManifests,
  ...smallGroups,
  ...storageManifests,
  ...admissionregistrationManifests,
  ...flowcontrolManifests,
  ...resourceManifests,
]
