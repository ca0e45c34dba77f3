/** All that a cluster needs to run an operator, from its declarations: the same text to the byte each time. */
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
import { accountAndRoles, definedKinds } from './roles.ts'
import { deploymentManifest, namespaceManifest, webhookServices, type WorkloadOptions } from './workload.ts'

export interface ManifestOptions extends WorkloadOptions {
  /** Where the operator itself is to be. Default: its name and `-system`. */
  readonly namespace?: string | undefined
  /** Where it may look and work. Default: as `defaults` of the operator say, else everywhere. */
  readonly namespaces?: readonly string[] | undefined
}

export interface Manifests {
  /** In the order in which they are to be applied. */
  readonly objects: readonly KubeObject[]
  /** Text by name. `kubectl apply -f FOLDER` takes them in the order that they need. */
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
    'roles.yaml': accountAndRoles(definition, placement),
    'webhooks.yaml': webhookConfigurations(name, webhooks, reach, operatorLabels(definition)),
    'workload.yaml': [deploymentManifest(definition, placement, options), ...webhookServices(definition, placement)],
  }
  const filled = Object.entries(parts).filter(([, objects]) => objects.length > 0)
  return {
    objects: filled.flatMap(([, objects]) => objects),
    files: Object.fromEntries(filled.map(([name, objects]) => [name, manifestText(objects)])),
  }
}

/** A kind whose versions are converted says by whom. */
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
