/** WebApp: one value gives the type, the definition in the cluster, the defaults, the validation and the columns. */
import { age, column, resource, t, type Infer, type Input } from 'coxswain'
import { ingress, service } from './network.ts'
import { podFields } from './pods.ts'
import { deletionPolicy, drift, onFailure, onFailureRetries } from './policy.ts'
import { autoscaling, disruption, strategy } from './scaling.ts'
import { status } from './status.ts'

const spec = t
  .object({
    ...podFields,
    replicas: t.int().min(0).max(10000).default(1).describe('How many pods. Left out under autoscaling.'),
    autoscaling: autoscaling(),
    strategy: strategy(),
    progressDeadlineSeconds: t
      .int()
      .min(1)
      .max(86400)
      .default(600)
      .describe('Seconds without progress after which a roll-out has failed.'),
    revisionHistoryLimit: t.int().min(0).max(100).default(10).describe('Old ReplicaSets that are kept.'),
    service: service(),
    ingress: ingress(),
    disruption: disruption(),
    suspend: t.boolean().default(false).describe('The operator leaves everything as it is. Deletion is not held up.'),
    onFailure: onFailure(),
    onFailureRetries: onFailureRetries(),
    deletionPolicy: deletionPolicy(),
    drift: drift(),
  })
  .rule('!has(self.autoscaling) || self.replicas == 1', {
    fieldPath: '.replicas',
    message: 'replicas and autoscaling exclude each other: leave replicas out',
  })
  .rule('self.strategy.minReadySeconds < self.progressDeadlineSeconds', {
    fieldPath: '.progressDeadlineSeconds',
    message: 'minReadySeconds must be less than progressDeadlineSeconds',
  })
  .rule('!has(self.env) || !has(self.envValueFrom) || self.env.all(name, !(name in self.envValueFrom))', {
    fieldPath: '.envValueFrom',
    message: 'a variable is in env or in envValueFrom, not in both',
  })
  .rule(
    '!has(self.ports) || self.ports.all(other, other.name != "http" && (other.port != self.port || ' +
      'other.protocol != "TCP"))',
    {
      fieldPath: '.ports',
      message: 'ports must differ from port, whose name is http',
    },
  )
  .rule('!has(self.preStopSeconds) || self.preStopSeconds < self.terminationGracePeriodSeconds', {
    fieldPath: '.preStopSeconds',
    message: 'preStopSeconds must be less than terminationGracePeriodSeconds',
  })

export const WebApp = resource('coxswain.dev/v1', 'WebApp', {
  shortNames: ['wa'],
  categories: ['all'],
  description: 'A web application: its pods, its Service and all that keeps it running.',
  spec,
  status,
  rules: [
    {
      rule: 'self.metadata.name.size() <= 63 && self.metadata.name.matches("^[a-z]([-a-z0-9]*[a-z0-9])?$")',
      message:
        'the name of a WebApp is that of its Service: 63 lower-case letters, digits and dashes at most, a letter first',
    },
  ],
  scale: { spec: '.spec.replicas', status: '.status.replicas', selector: '.status.selector' },
  selectableFields: ['.spec.image', '.spec.suspend', '.status.phase'],
  columns: [
    column('Phase', '.status.phase'),
    column('Ready', '.status.conditions[?(@.type=="Ready")].status'),
    column('Available', '.status.availableReplicas'),
    column('Desired', '.status.desiredReplicas'),
    column('Image', '.status.image'),
    column('URL', '.status.url'),
    age(),
    column('Reason', '.status.conditions[?(@.type=="Ready")].reason', { priority: 1 }),
    column('Message', '.status.message', { priority: 1 }),
    column('Revision', '.status.currentRevision', { priority: 1 }),
  ],
})
export type WebApp = Infer<typeof WebApp>
export type WebAppInput = Input<typeof WebApp>
export type WebAppSpec = WebApp['spec']
export type WebAppStatus = NonNullable<WebApp['status']>
export type Phase = NonNullable<WebAppStatus['phase']>
