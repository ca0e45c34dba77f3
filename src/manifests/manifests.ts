/** Generates all manifests of an operator from its declarations. The output is reproducible byte by byte. */
import { stringify } from 'yaml'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import {
  byService,
  conversionsOf,
  conversionSpec,
  definitionName,
  webhookConfigurations,
  webhooksName,
  type Reach,
} from '../webhooks/configurations.ts'
import { operatorLabels, installScopeOf } from './install-scope.ts'
import { metricsReaders, metricsServices } from './metrics.ts'
import { networkPolicy } from './network-policy.ts'
import { accountAndRoles, definedKinds } from './roles.ts'
import { deploymentManifest, namespaceManifest, webhookServices, type WorkloadOptions } from './workload.ts'

export interface ManifestOptions extends WorkloadOptions {
  /** The namespace in which the operator runs. Default: its name with `-system`. */
  readonly namespace?: string | undefined
  /** The namespaces that it watches. Default: those in the `defaults` of the operator, otherwise all. */
  readonly namespaces?: readonly string[] | undefined
}

export interface Manifests {
  /** In the order in which they must be applied. */
  readonly objects: readonly KubeObject[]
  /** Text by file name. The names sort in the order in which `kubectl apply -f FOLDER` must apply them. */
  readonly files: Readonly<Record<string, string>>
}

export function operatorManifests(definition: OperatorDefinition, options: ManifestOptions = {}): Manifests {
  const placement = installScopeOf(definition, options)
  const { name, webhooks = [] } = definition
  const reach = byService(webhooksName(name), placement.namespace)
  const parts = {
    'crds.yaml': [
      ...definedKinds(definition).map(({ crd }) => withConversion(crd as KubeObject, definition, reach)),
      ...(definition.crds ?? []),
    ] as KubeObject[],
    'namespace.yaml': [namespaceManifest(definition, placement)],
    'network.yaml': [networkPolicy(definition, placement)],
    'roles.yaml': [...accountAndRoles(definition, placement), ...metricsReaders(definition)],
    'webhooks.yaml': webhookConfigurations(name, webhooks, reach, operatorLabels(definition), placement.namespace),
    'workload.yaml': [
      deploymentManifest(definition, placement, options),
      ...metricsServices(definition, placement),
      ...webhookServices(definition, placement),
    ],
  }
  const filled = Object.entries(parts).filter(([, objects]) => objects.length > 0)
  return {
    objects: filled.flatMap(([, objects]) => objects),
    files: Object.fromEntries(filled.map(([name, objects]) => [name, manifestText(objects)])),
  }
}

/** Adds the conversion webhook to the CRD of a kind that has one. */
function withConversion(crd: KubeObject, { webhooks = [] }: OperatorDefinition, reach: Reach): KubeObject {
  if (!conversionsOf(webhooks).some((each) => definitionName(each) === crd.metadata.name)) return crd
  return { ...crd, spec: { ...(crd['spec'] as JsonObject), conversion: conversionSpec(reach) } }
}

const header =
  '# Made by `coxswain manifests` from what the operator declares. Do not edit: change the code, and make it again.\n'

export function manifestText(objects: readonly object[]): string {
  return (
    header +
    objects.map((object) => `---\n${stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })}`).join('')
  )
}
