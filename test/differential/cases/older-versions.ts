/** Bodies with another apiVersion than the URL: one that is served, was served, or never was. */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Case, Step, Topic } from '../case.ts'
import { configMap, deployment, object } from '../objects.ts'
import { clusterResource, informed, prepared, resource } from '../steps.ts'
import type { Requests } from '../steps.ts'

/** Kinds with other versions, past or present. */
const kinds: readonly (readonly [version: string, kind: string, plural: string, others: string])[] = [
  ['v1', 'Event', 'events', 'events.k8s.io/v1 events.k8s.io/v1beta1 v1beta1'],
  ['events.k8s.io/v1', 'Event', 'events', 'v1 events.k8s.io/v1beta1'],
  ['apps/v1', 'ControllerRevision', 'controllerrevisions', 'apps/v1beta1 apps/v1beta2'],
  ['apps/v1', 'DaemonSet', 'daemonsets', 'apps/v1beta1 apps/v1beta2 extensions/v1beta1'],
  ['apps/v1', 'Deployment', 'deployments', 'apps/v1beta1 apps/v1beta2 extensions/v1beta1 apps/v2 extensions/v1'],
  ['apps/v1', 'ReplicaSet', 'replicasets', 'apps/v1beta2 extensions/v1beta1'],
  ['apps/v1', 'StatefulSet', 'statefulsets', 'apps/v1beta1 apps/v1beta2 extensions/v1beta1'],
  [
    'autoscaling/v1',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    'autoscaling/v2 autoscaling/v2beta1 autoscaling/v2beta2',
  ],
  [
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    'autoscaling/v1 autoscaling/v2beta1 autoscaling/v2beta2',
  ],
  ['batch/v1', 'CronJob', 'cronjobs', 'batch/v1beta1 batch/v2alpha1'],
  ['batch/v1', 'Job', 'jobs', 'batch/v1beta1'],
  ['coordination.k8s.io/v1', 'Lease', 'leases', 'coordination.k8s.io/v1beta1'],
  ['discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices', 'discovery.k8s.io/v1beta1'],
  ['networking.k8s.io/v1', 'Ingress', 'ingresses', 'networking.k8s.io/v1beta1 extensions/v1beta1'],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', 'extensions/v1beta1 networking.k8s.io/v1beta1'],
  ['policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', 'policy/v1beta1'],
  [
    'rbac.authorization.k8s.io/v1',
    'Role',
    'roles',
    'rbac.authorization.k8s.io/v1alpha1 rbac.authorization.k8s.io/v1beta1',
  ],
  [
    'rbac.authorization.k8s.io/v1',
    'RoleBinding',
    'rolebindings',
    'rbac.authorization.k8s.io/v1alpha1 rbac.authorization.k8s.io/v1beta1',
  ],
  ['storage.k8s.io/v1', 'CSIStorageCapacity', 'csistoragecapacities', 'storage.k8s.io/v1alpha1 storage.k8s.io/v1beta1'],
  [
    'resource.k8s.io/v1',
    'ResourceClaim',
    'resourceclaims',
    'resource.k8s.io/v1alpha3 resource.k8s.io/v1beta1 resource.k8s.io/v1beta2',
  ],
  [
    'resource.k8s.io/v1',
    'ResourceClaimTemplate',
    'resourceclaimtemplates',
    'resource.k8s.io/v1beta1 resource.k8s.io/v1beta2',
  ],
]

const clusterKinds: typeof kinds = [
  ['apiregistration.k8s.io/v1', 'APIService', 'apiservices', 'apiregistration.k8s.io/v1beta1'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', 'apiextensions.k8s.io/v1beta1'],
  ['certificates.k8s.io/v1', 'CertificateSigningRequest', 'certificatesigningrequests', 'certificates.k8s.io/v1beta1'],
  ['networking.k8s.io/v1', 'IngressClass', 'ingressclasses', 'networking.k8s.io/v1beta1'],
  ['networking.k8s.io/v1', 'IPAddress', 'ipaddresses', 'networking.k8s.io/v1beta1 networking.k8s.io/v1alpha1'],
  ['networking.k8s.io/v1', 'ServiceCIDR', 'servicecidrs', 'networking.k8s.io/v1beta1'],
  [
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
    'clusterroles',
    'rbac.authorization.k8s.io/v1alpha1 rbac.authorization.k8s.io/v1beta1',
  ],
  [
    'rbac.authorization.k8s.io/v1',
    'ClusterRoleBinding',
    'clusterrolebindings',
    'rbac.authorization.k8s.io/v1alpha1 rbac.authorization.k8s.io/v1beta1',
  ],
  ['storage.k8s.io/v1', 'CSIDriver', 'csidrivers', 'storage.k8s.io/v1beta1'],
  ['storage.k8s.io/v1', 'CSINode', 'csinodes', 'storage.k8s.io/v1beta1'],
  ['storage.k8s.io/v1', 'StorageClass', 'storageclasses', 'storage.k8s.io/v1beta1'],
  ['storage.k8s.io/v1', 'VolumeAttachment', 'volumeattachments', 'storage.k8s.io/v1alpha1 storage.k8s.io/v1beta1'],
  [
    'storage.k8s.io/v1',
    'VolumeAttributesClass',
    'volumeattributesclasses',
    'storage.k8s.io/v1alpha1 storage.k8s.io/v1beta1',
  ],
  [
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration',
    'mutatingwebhookconfigurations',
    'admissionregistration.k8s.io/v1beta1 admissionregistration.k8s.io/v1alpha1',
  ],
  [
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    'admissionregistration.k8s.io/v1beta1',
  ],
  [
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicy',
    'validatingadmissionpolicies',
    'admissionregistration.k8s.io/v1alpha1 admissionregistration.k8s.io/v1beta1',
  ],
  [
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
    'admissionregistration.k8s.io/v1alpha1 admissionregistration.k8s.io/v1beta1',
  ],
  ['scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', 'scheduling.k8s.io/v1alpha1 scheduling.k8s.io/v1beta1'],
  ['node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses', 'node.k8s.io/v1alpha1 node.k8s.io/v1beta1'],
  [
    'resource.k8s.io/v1',
    'DeviceClass',
    'deviceclasses',
    'resource.k8s.io/v1beta1 resource.k8s.io/v1beta2 resource.k8s.io/v1alpha3',
  ],
  ['resource.k8s.io/v1', 'ResourceSlice', 'resourceslices', 'resource.k8s.io/v1beta1 resource.k8s.io/v1beta2'],
  [
    'flowcontrol.apiserver.k8s.io/v1',
    'FlowSchema',
    'flowschemas',
    'flowcontrol.apiserver.k8s.io/v1beta1 flowcontrol.apiserver.k8s.io/v1beta2 flowcontrol.apiserver.k8s.io/v1beta3',
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1',
    'PriorityLevelConfiguration',
    'prioritylevelconfigurations',
    'flowcontrol.apiserver.k8s.io/v1beta3 flowcontrol.apiserver.k8s.io/v1alpha1',
  ],
]

const created = (table: typeof kinds, at: (plural: string, version: string) => Requests): Step[] => {
  return table.flatMap(([version, kind, plural, others]) =>
    others.split(' ').map((other) => at(plural, version).create(object(other, kind, '{{ns}}'), 'dryRun=All')),
  )
}

const deployments = resource('deployments', 'apps/v1')
const configMaps = resource('configmaps')
const older = (value: JsonObject, apiVersion: string): JsonObject => ({ ...value, apiVersion })

const cases: readonly Case[] = [
  { name: 'of kinds in namespaces', steps: created(kinds, resource) },
  { name: 'of kinds of the cluster', steps: created(clusterKinds, clusterResource) },
  {
    name: 'sent elsewhere',
    steps: [
      'apps/v1beta1 Deployment',
      'apps/v1beta1 DaemonSet',
      'extensions/v1beta1 Ingress',
      'extensions/v1beta1 Event',
      'policy/v1beta1 PodDisruptionBudget',
      'batch/v1beta1 Job',
      'batch/v1beta1 CronJob',
    ].flatMap((text) => {
      const [version = '', kind = ''] = text.split(' ')
      return [configMaps.create(object(version, kind, 'x')), deployments.create(object(version, kind, 'x'))]
    }),
  },
  {
    name: 'by update, patch and apply',
    steps: [
      prepared(deployments.create(deployment('d'))),
      prepared(configMaps.create(configMap('c'))),
      ...['apps/v1beta1', 'apps/v1beta2', 'extensions/v1beta1', 'apps/v1beta9'].flatMap((version) => [
        deployments.replace('d', older(deployment('d'), version)),
        deployments.merge('d', { apiVersion: version, metadata: { labels: { by: version.replace('/', '.') } } }),
        deployments.strategic('d', { apiVersion: version }),
        deployments.json('d', [{ op: 'replace', path: '/apiVersion', value: version }]),
        deployments.apply('d', older(deployment('d'), version), 'fieldManager=m'),
        deployments.create({ apiVersion: version, kind: 'Deployment', spec: { replicas: 'x' } }),
      ]),
      ...(
        [
          { kind: 'Other' },
          { kind: 'ConfigMap', apiVersion: 'v1' },
          { kind: null },
          { kind: '', apiVersion: '' },
          { apiVersion: null },
          { apiVersion: 'a/b/c' },
          { kind: 5 },
          { apiVersion: [] },
        ] as JsonObject[]
      ).map((patch) => deployments.strategic('d', patch)),
      configMaps.replace('c', older(configMap('c'), 'v1beta1')),
      configMaps.merge('c', { apiVersion: 'v1beta1' }),
      informed(deployments.get('d')),
    ],
  },
]

export const olderVersions: Topic = { name: 'older-versions', cases }
