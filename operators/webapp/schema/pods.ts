/** What runs: the fields of a spec that shape its pods. They make a revision; when one changes, pods roll. */
import { t } from 'coxswain'

const variableName = '^[-._a-zA-Z][-._a-zA-Z0-9]*$'
const variableNames = [
  `self.all(name, name.matches('${variableName}'))`,
  { message: 'a name has letters, digits, "-", "_" and "." and begins with no digit' },
] as const
const name = () => t.string().minLength(1).maxLength(253)

/** Where one variable's value comes from. */
const variableSource = () =>
  t
    .object({
      configMapKeyRef: t.keyReference().optional(),
      secretKeyRef: t.keyReference().optional(),
      fieldRef: t
        .object({ fieldPath: t.string().minLength(1).maxLength(253) })
        .atomic()
        .optional(),
    })
    .rule(
      '(has(self.configMapKeyRef) ? 1 : 0) + (has(self.secretKeyRef) ? 1 : 0) + (has(self.fieldRef) ? 1 : 0) == 1',
      { message: 'exactly one of configMapKeyRef, secretKeyRef and fieldRef' },
    )

/** All keys of a ConfigMap or a Secret as variables. */
const variableList = () =>
  t
    .object({
      prefix: t.string().maxLength(63).optional(),
      configMapRef: t.object({ name: name(), optional: t.boolean().optional() }).optional(),
      secretRef: t.object({ name: name(), optional: t.boolean().optional() }).optional(),
    })
    .rule('has(self.configMapRef) != has(self.secretRef)', { message: 'exactly one of configMapRef and secretRef' })

/** Files from a ConfigMap or a Secret, one for each key. */
const files = () =>
  t
    .object({
      path: t
        .string()
        .minLength(2)
        .maxLength(253)
        .pattern('^/')
        .describe('The folder in the container, from its root.'),
      configMap: t.string().minLength(1).maxLength(253).optional().describe('The ConfigMap that has them.'),
      secret: t.string().minLength(1).maxLength(253).optional().describe('The Secret that has them.'),
      optional: t.boolean().default(false).describe('Whether the app may run without them.'),
    })
    .rule('has(self.configMap) != has(self.secret)', { message: 'exactly one of configMap and secret' })

/** A probe of another host would make the kubelet call it. The Pod Security Standards forbid it, too. */
const probe = () =>
  t
    .probe()
    .rule('(!has(self.httpGet) || !has(self.httpGet.host)) && (!has(self.tcpSocket) || !has(self.tcpSocket.host))', {
      message: 'a probe is of the pod itself: leave host out',
    })

const extraPort = () =>
  t.object({
    name: t.string().minLength(1).maxLength(15).pattern('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'),
    port: t.int().min(1).max(65535),
    protocol: t.enum('TCP', 'UDP', 'SCTP').default('TCP'),
  })

/** By name, so that a revision can be picked out of a spec, and put back. */
export const podFields = {
  image: t.string().minLength(1).maxLength(512).describe('What to run: an image with its tag or digest.'),
  imagePullPolicy: t
    .enum('Always', 'IfNotPresent', 'Never')
    .optional()
    .describe('Default: as Kubernetes does, by the tag.'),
  imagePullSecrets: t
    .array(t.localReference())
    .maxItems(16)
    .atomic()
    .optional()
    .describe('Secrets with which the image may be pulled.'),
  command: t.array(t.string()).maxItems(64).atomic().optional().describe("In place of the image's entry point."),
  args: t.array(t.string()).maxItems(64).atomic().optional().describe("In place of the image's arguments."),
  port: t.int().min(1).max(65535).default(80).describe('Where the app listens.'),
  ports: t.array(extraPort()).mapBy('name').maxItems(16).optional().describe('More ports.'),
  env: t
    .map(t.string().maxLength(32768))
    .maxProperties(256)
    .optional()
    .rule(...variableNames)
    .describe('Variables and their values.'),
  envValueFrom: t
    .map(variableSource())
    .maxProperties(128)
    .optional()
    .rule(...variableNames)
    .describe('Variables whose values are elsewhere: in a key of a ConfigMap or Secret, or in a field of the pod.'),
  envFrom: t
    .array(variableList())
    .maxItems(16)
    .atomic()
    .optional()
    .describe('All keys of ConfigMaps and Secrets as variables.'),
  files: t
    .array(files())
    .mapBy('path')
    .maxItems(16)
    .optional()
    .describe('Folders with the keys of ConfigMaps and Secrets as files.'),
  configRollout: t
    .enum('Auto', 'Manual')
    .default('Auto')
    .describe('Whether pods roll when what they refer to (env, files) has changed.'),
  resources: t.resources().optional().describe('What a pod asks for and may use.'),
  probes: t
    .object({
      startup: probe().optional(),
      readiness: probe().optional(),
      liveness: probe().optional(),
    })
    .optional()
    .describe('Default: ready when the port accepts connections.'),
  security: t
    .object({
      profile: t.enum('Restricted', 'Baseline').default('Restricted'),
      runAsUser: t.int64().min(0).optional(),
      fsGroup: t.int64().min(0).optional(),
      readOnlyRootFilesystem: t.boolean().optional(),
    })
    .rule('self.profile != "Restricted" || !has(self.runAsUser) || self.runAsUser > 0', {
      message: 'the profile Restricted does not run as root: runAsUser must not be 0',
    })
    .default({})
    .describe('Restricted: as the Pod Security Standard of that name wants it. Baseline: as the image is.'),
  serviceAccountName: name().optional().describe('Default: default, and its token is not mounted.'),
  topologySpread: t
    .enum('Preferred', 'Required', 'Off')
    .default('Preferred')
    .describe('Whether pods are spread over zones and nodes.'),
  terminationGracePeriodSeconds: t.int64().min(0).max(3600).default(30).describe('Seconds that a pod has to end.'),
  preStopSeconds: t
    .int64()
    .min(0)
    .max(3600)
    .optional()
    .describe('Seconds that a pod goes on serving after it was told to end, until nobody sends it anything any more.'),
  podMetadata: t
    .object({ labels: t.labels().optional(), annotations: t.annotations().optional() })
    .optional()
    .describe('Labels and annotations of the pods.'),
} as const

export const podFieldNames = Object.keys(podFields) as readonly (keyof typeof podFields)[]
