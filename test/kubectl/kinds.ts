/** The kinds for the tests of verbs, each with a sample and the output of kubectl. */

export interface SampleKind {
  /** The argument of `kubectl get`. */
  readonly type: string
  /** In the form that kubectl prints. */
  readonly object: string
  /** YAML; every sample has the label `app: sample` and the annotation `color: blue`. */
  readonly manifest: string
  /** Header and row of `kubectl get`, without the name, and those that only `-o wide` has. */
  readonly columns: string
  readonly row: string
  readonly wideColumns?: string
  readonly wideRow?: string
  /** Lines of `kubectl describe`. */
  readonly described: readonly string[]
  /** A line of `kubectl explain`. */
  readonly explained: string
  /** Cluster-scoped. */
  readonly clusterWide?: true
  /** The row after a deletion, if the object stays because no controller removes its finalizer. Default: it is gone. */
  readonly deletedRow?: string
  /** Has a scale subresource. */
  readonly scales?: true
  /** Not built in, so without strategic merge patches. */
  readonly custom?: true
}

const metadata = 'metadata: {name: sample, labels: {app: sample}, annotations: {color: blue}}'
const podSpec = '{containers: [{name: main, image: "nginx:1", ports: [{containerPort: 80}]}]}'
const onceSpec = '{restartPolicy: Never, containers: [{name: main, image: "busybox:1", command: [echo, hello]}]}'
const template = `{metadata: {labels: {app: sample}}, spec: ${podSpec}}`

export const kinds: readonly SampleKind[] = [
  {
    type: 'namespaces',
    object: 'namespace/sample',
    clusterWide: true,
    manifest: `apiVersion: v1\nkind: Namespace\n${metadata}\n`,
    columns: 'STATUS AGE',
    row: 'Active AGE',
    deletedRow: 'Terminating AGE',
    described: ['Status: Active', 'No resource quota.'],
    explained: 'spec <NamespaceSpec>',
  },
  {
    type: 'configmaps',
    object: 'configmap/sample',
    manifest: `apiVersion: v1\nkind: ConfigMap\n${metadata}\ndata: {greeting: hello}\n`,
    columns: 'DATA AGE',
    row: '1 AGE',
    described: ['greeting:\n----\nhello'],
    explained: 'data <map[string]string>',
  },
  {
    type: 'secrets',
    object: 'secret/sample',
    manifest: `apiVersion: v1\nkind: Secret\n${metadata}\ndata: {password: aHVudGVyMg==}\n`,
    columns: 'TYPE DATA AGE',
    row: 'Opaque 1 AGE',
    described: ['Type: Opaque', 'password: 7 bytes'],
    explained: 'stringData <map[string]string>',
  },
  {
    type: 'services',
    object: 'service/sample',
    manifest:
      `apiVersion: v1\nkind: Service\n${metadata}\nspec: {selector: {app: sample}, ports: [{name: http, port: ` +
      `80, targetPort: 8080}]}\n`,
    columns: 'TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE',
    row: 'ClusterIP ADDRESS <none> 80/TCP AGE',
    wideColumns: 'SELECTOR',
    wideRow: 'app=sample',
    described: ['IP Family Policy: SingleStack', 'IP: ADDRESS', 'TargetPort: 8080/TCP'],
    explained: 'spec <ServiceSpec>',
  },
  {
    type: 'pods',
    object: 'pod/sample',
    manifest: `apiVersion: v1\nkind: Pod\n${metadata}\nspec: ${podSpec}\n`,
    columns: 'READY STATUS RESTARTS AGE',
    row: '0/1 Pending 0 AGE',
    wideColumns: 'IP NODE NOMINATED NODE READINESS GATES',
    wideRow: '<none> <none> <none> <none>',
    described: ['Status: Pending', 'Image: nginx:1', 'QoS Class: BestEffort'],
    explained: 'spec <PodSpec>',
  },
  {
    type: 'deployments',
    object: 'deployment.apps/sample',
    scales: true,
    manifest:
      `apiVersion: apps/v1\nkind: Deployment\n${metadata}\nspec: {replicas: 2, selector: {matchLabels: {app: ` +
      `sample}}, template: ${template}}\n`,
    columns: 'READY UP-TO-DATE AVAILABLE AGE',
    row: '0/2 0 0 AGE',
    wideColumns: 'CONTAINERS IMAGES SELECTOR',
    wideRow: 'main nginx:1 app=sample',
    described: [
      'Selector: app=sample',
      'Replicas: 2 desired | 0 updated | 0 total | 0 available | 0 unavailable',
      'RollingUpdateStrategy: 25% max unavailable, 25% max surge',
    ],
    explained: 'spec <DeploymentSpec>',
  },
  {
    type: 'statefulsets',
    object: 'statefulset.apps/sample',
    scales: true,
    manifest:
      `apiVersion: apps/v1\nkind: StatefulSet\n${metadata}\nspec: {replicas: 2, serviceName: sample, selector: ` +
      `{matchLabels: {app: sample}}, template: ${template}}\n`,
    columns: 'READY AGE',
    row: '0/2 AGE',
    wideColumns: 'CONTAINERS IMAGES',
    wideRow: 'main nginx:1',
    described: ['Replicas: 2 desired | 0 total', 'Update Strategy: RollingUpdate'],
    explained: 'spec <StatefulSetSpec>',
  },
  {
    type: 'jobs',
    object: 'job.batch/sample',
    manifest: `apiVersion: batch/v1\nkind: Job\n${metadata}\nspec: {completions: 3, template: {spec: ${onceSpec}}}\n`,
    columns: 'STATUS COMPLETIONS DURATION AGE',
    row: 'Running 0/3 AGE',
    wideColumns: 'CONTAINERS IMAGES SELECTOR',
    wideRow: 'main busybox:1 batch.kubernetes.io/controller-uid=UID',
    described: [
      'Parallelism: 1',
      'Completions: 3',
      'Completion Mode: NonIndexed',
      'Selector: batch.kubernetes.io/controller-uid=UID',
    ],
    explained: 'spec <JobSpec>',
  },
  {
    type: 'cronjobs',
    object: 'cronjob.batch/sample',
    manifest:
      `apiVersion: batch/v1\nkind: CronJob\n${metadata}\nspec: {schedule: "*/5 * * * *", jobTemplate: {spec: ` +
      `{template: {spec: ${onceSpec}}}}}\n`,
    columns: 'SCHEDULE TIMEZONE SUSPEND ACTIVE LAST SCHEDULE AGE',
    row: '*/5 * * * * <none> False 0 <none> AGE',
    wideColumns: 'CONTAINERS IMAGES SELECTOR',
    wideRow: 'main busybox:1 <none>',
    described: ['Schedule: */5 * * * *', 'Concurrency Policy: Allow', 'Successful Job History Limit: 3'],
    explained: 'spec <CronJobSpec>',
  },
  {
    type: 'ingresses',
    object: 'ingress.networking.k8s.io/sample',
    manifest:
      `apiVersion: networking.k8s.io/v1\nkind: Ingress\n${metadata}\nspec: {rules: [{host: a.example.com, ` +
      'http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: sample, port: {number: ' +
      `80}}}}]}}]}\n`,
    columns: 'CLASS HOSTS ADDRESS PORTS AGE',
    row: '<none> a.example.com 80 AGE',
    described: ['Ingress Class: <none>', 'a.example.com', '/ sample:80'],
    explained: 'spec <IngressSpec>',
  },
  {
    type: 'persistentvolumeclaims',
    object: 'persistentvolumeclaim/sample',
    manifest:
      `apiVersion: v1\nkind: PersistentVolumeClaim\n${metadata}\nspec: {accessModes: [ReadWriteOnce], ` +
      `resources: {requests: {storage: 1Gi}}}\n`,
    columns: 'STATUS VOLUME CAPACITY ACCESS MODES STORAGECLASS VOLUMEATTRIBUTESCLASS AGE',
    row: 'Pending <unset> AGE',
    deletedRow: 'Terminating <unset> AGE',
    wideColumns: 'VOLUMEMODE',
    wideRow: 'Filesystem',
    described: ['Status: Pending', 'VolumeMode: Filesystem'],
    explained: 'spec <PersistentVolumeClaimSpec>',
  },
  {
    type: 'roles',
    object: 'role.rbac.authorization.k8s.io/sample',
    manifest:
      `apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n${metadata}\nrules: [{apiGroups: [""], resources: ` +
      `[pods], verbs: [get, list]}]\n`,
    columns: 'CREATED AT',
    row: 'TIME',
    described: ['pods [] [] [get list]'],
    explained: 'rules <[]PolicyRule>',
  },
  {
    type: 'rolebindings',
    object: 'rolebinding.rbac.authorization.k8s.io/sample',
    manifest:
      `apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n${metadata}\nroleRef: {apiGroup: ` +
      `rbac.authorization.k8s.io, kind: Role, name: sample}\nsubjects: [{kind: User, name: ada, apiGroup: ` +
      `rbac.authorization.k8s.io}]\n`,
    columns: 'ROLE AGE',
    row: 'Role/sample AGE',
    wideColumns: 'USERS GROUPS SERVICEACCOUNTS',
    wideRow: 'ada',
    described: ['Kind: Role', 'User ada'],
    explained: 'roleRef <RoleRef> -required-',
  },
  {
    type: 'widgets',
    object: 'widget.kubectl.example.com/sample',
    custom: true,
    scales: true,
    manifest: `apiVersion: kubectl.example.com/v1\nkind: Widget\n${metadata}\nspec: {size: 3, replicas: 2}\n`,
    columns: 'SIZE AGE',
    row: '3 AGE',
    wideColumns: 'REPLICAS',
    wideRow: '2',
    described: ['Spec:\n  Replicas: 2\n  Size: 3'],
    explained: 'spec <Object>',
  },
]

/** The definition of the last entry's kind. */
export const widgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.kubectl.example.com}
spec:
  group: kubectl.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties: {size: {type: integer, minimum: 1}, replicas: {type: integer}}
          status:
            type: object
            properties:
              replicas: {type: integer}
              conditions:
                type: array
                items:
                  type: object
                  required: [type, status]
                  properties: {type: {type: string}, status: {type: string}}
`
