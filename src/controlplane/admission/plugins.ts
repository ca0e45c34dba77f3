/**
 * The table of all upstream admission plugins in the order in which they run, and the choice of those that are enabled.
 */
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './certificates.ts'
import { PluginChain } from './chain.ts'
import { creationWarnings, type CreationWarnings } from './creation-warnings.ts'
import { defaultIngressClass, defaultStorageClass } from './default-classes.ts'
import { limitRanger } from './limit-ranger.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { defaultTolerationSeconds, podTopologyLabels, taintNodesByCondition } from './node-taints.ts'
import {
  alwaysAdmit,
  alwaysPullImages,
  denyServiceExternalIPs,
  extendedResourceToleration,
  limitPodHardAntiAffinityTopology,
  namespaceAutoProvision,
  namespaceExists,
} from './optional.ts'
import type { AdmissionPlugin, AdmissionServices } from './plugin.ts'
import { mutatingPolicies } from './policies/mutating-plugin.ts'
import { validatingPolicies } from './policies/plugin.ts'
import { podSecurity } from './pod-security/pod-security.ts'
import { priority } from './priority.ts'
import { resourceQuotaPlugin } from './quota/resource-quota.ts'
import { runtimeClassPlugin } from './runtime-class.ts'
import { serviceAccountPlugin } from './service-account.ts'
import { persistentVolumeClaimResize, storageObjectInUseProtection } from './volumes.ts'
import { mutatingWebhooks, validatingWebhooks } from './webhooks/plugins.ts'

interface PluginEntry {
  readonly name: string
  readonly isOn: boolean
  /**
   * `idle`: accepted and does nothing, because its feature is off upstream too or is not implemented here. `missing`:
   * cannot be enabled.
   */
  readonly make: ((services: AdmissionServices) => AdmissionPlugin) | 'idle' | 'missing'
}

const on = (plugin: AdmissionPlugin): PluginEntry => ({ name: plugin.name, isOn: true, make: () => plugin })
const off = (plugin: AdmissionPlugin): PluginEntry => ({ name: plugin.name, isOn: false, make: () => plugin })
const idle = (name: string): PluginEntry => ({ name, isOn: true, make: 'idle' })
const missing = (name: string): PluginEntry => ({ name, isOn: false, make: 'missing' })

export const pluginTable: readonly PluginEntry[] = [
  off(alwaysAdmit),
  { name: 'NamespaceAutoProvision', isOn: false, make: namespaceAutoProvision },
  on(namespaceLifecycle),
  off(namespaceExists),
  off(limitPodHardAntiAffinityTopology),
  on(limitRanger),
  // On upstream. Off here unless serviceaccount-controller runs (`clusterAdmission`): pods would need a service
  // account, and without that controller no namespace has one.
  { name: 'ServiceAccount', isOn: false, make: serviceAccountPlugin },
  missing('NodeRestriction'),
  on(taintNodesByCondition),
  off(alwaysPullImages),
  missing('ImagePolicyWebhook'),
  on(podSecurity),
  missing('PodNodeSelector'),
  on(priority),
  on(defaultTolerationSeconds),
  missing('PodTolerationRestriction'),
  missing('EventRateLimit'),
  off(extendedResourceToleration),
  on(defaultStorageClass),
  on(storageObjectInUseProtection),
  missing('OwnerReferencesPermissionEnforcement'),
  on(persistentVolumeClaimResize),
  on(runtimeClassPlugin),
  { name: 'CertificateApproval', isOn: true, make: certificateApproval },
  { name: 'CertificateSigning', isOn: true, make: certificateSigning },
  idle('ClusterTrustBundleAttest'),
  on(certificateSubjectRestriction),
  on(defaultIngressClass),
  off(denyServiceExternalIPs),
  on(podTopologyLabels),
  idle('NodeDeclaredFeatureValidator'),
  { name: 'MutatingAdmissionPolicy', isOn: true, make: mutatingPolicies },
  { name: 'MutatingAdmissionWebhook', isOn: true, make: mutatingWebhooks },
  { name: 'ValidatingAdmissionPolicy', isOn: true, make: validatingPolicies },
  { name: 'ValidatingAdmissionWebhook', isOn: true, make: validatingWebhooks },
  { name: 'ResourceQuota', isOn: true, make: resourceQuotaPlugin },
  missing('AlwaysDeny'),
]

/** An invalid choice of plugins by the user. */
export class PluginChoiceError extends Error {
  override readonly name = 'PluginChoiceError'
}

export interface PluginChoice {
  /** In addition to the plugins that are on by default. */
  readonly enable?: readonly string[]
  /** Even if they are on by default. */
  readonly disable?: readonly string[]
}

/** The names of the plugins that run, in order. Throws {@link PluginChoiceError} with kube-apiserver's message. */
export function enabledPlugins({ enable = [], disable = [] }: PluginChoice = {}): string[] {
  const problems = [
    ...unknown(enable).map((name) => `enable-admission-plugins plugin ${JSON.stringify(name)} is unknown`),
    ...unknown(disable).map((name) => `disable-admission-plugins plugin ${JSON.stringify(name)} is unknown`),
  ]
  const both = [...new Set(enable.filter((name) => disable.includes(name)))].sort()
  if (both.length > 0) {
    problems.push(`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`)
  }
  for (const { name, make } of pluginTable) {
    if (make !== 'missing' || !enable.includes(name)) continue
    problems.push(`admission plugin ${JSON.stringify(name)} is not implemented`)
  }
  if (problems.length > 0) throw new PluginChoiceError(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`)
  return pluginTable
    .filter(({ name, isOn }) => enable.includes(name) || (isOn && !disable.includes(name)))
    .map(({ name }) => name)
}

function unknown(names: readonly string[]): string[] {
  return names.filter((name) => !pluginTable.some((plugin) => plugin.name === name))
}

export function createChain(
  choice: PluginChoice | undefined,
  services: AdmissionServices,
  warnings?: CreationWarnings,
): PluginChain {
  const enabled = new Set(enabledPlugins(choice))
  const made = pluginTable.flatMap(({ name, make }) =>
    enabled.has(name) && typeof make === 'function' ? [make(services)] : [],
  )
  return new PluginChain(warnings === undefined || warnings.size === 0 ? made : [...made, creationWarnings(warnings)])
}
