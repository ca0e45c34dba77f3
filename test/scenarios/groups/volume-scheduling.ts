/** Pods whose volumes decide where they run, and the claims of ephemeral volumes and StatefulSets. */
import type { JsonObject } from '../../../src/api/json.ts'
import { object, pod, podSpec } from '../objects.ts'
import type { Act, Scenario } from '../scenario.ts'
import { resource } from '../../differential/steps.ts'
import { exists, gone, look, pods, rest, until } from '../steps.ts'
import {
  bound,
  claim,
  claimIs,
  claims,
  provisionerAsked,
  running,
  seeVolumes,
  storageClass,
  user,
  volume,
  volumeIs,
  volumeName,
  volumes,
} from './storage.ts'

const statefulSets = resource('statefulsets', 'apps/v1')

const local: Act = storageClass({
  provisioner: 'kubernetes.io/no-provisioner',
  volumeBindingMode: 'WaitForFirstConsumer',
})
const onNode = (name: string): JsonObject => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] }],
    },
  },
})
const refused = (name: string): Act =>
  until(pods.get(name).path, { 'status.conditions[PodScheduled].reason': 'Unschedulable' })
/** Binding a volume takes a moment, in which the claim is synced any number of times. */
const waits: readonly string[] = ['WaitForFirstConsumer', 'WaitForPodScheduled']
const template: JsonObject = {
  metadata: { labels: { tier: 'tmp' } },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: '{{ns}}',
  },
}
const withEphemeral: Act = pods.create(
  pod('web', { volumes: [{ name: 'tmp', ephemeral: { volumeClaimTemplate: template } }] }),
)

export const volumeSchedulingScenarios: readonly Scenario[] = [
  { name: 'schedule-claim-missing', steps: [user('web', 'data'), refused('web')] },
  {
    name: 'schedule-claim-not-bound',
    steps: [claim('data', { storageClassName: '', volumeName: 'none' }), user('web', 'data'), refused('web')],
  },
  {
    name: 'schedule-volume-affinity',
    places: true,
    also: seeVolumes('a'),
    steps: [
      volume('a', onNode('node-2')),
      volumeIs('a', 'Available'),
      claim('data'),
      ...bound('data'),
      user('web', 'data'),
      running('web'),
    ],
  },
  {
    name: 'schedule-first-consumer',
    places: true,
    anyNumber: waits,
    also: seeVolumes('a'),
    steps: [
      local,
      volume('a', onNode('node-3')),
      volumeIs('a', 'Available'),
      claim('data'),
      rest,
      user('web', 'data'),
      running('web'),
    ],
  },
  {
    name: 'schedule-no-volume',
    anyNumber: waits,
    steps: [local, claim('data'), user('web', 'data'), refused('web')],
  },
  {
    name: 'schedule-provisioned',
    anyNumber: waits,
    steps: [
      storageClass({ volumeBindingMode: 'WaitForFirstConsumer' }),
      claim('data'),
      user('web', 'data'),
      provisionerAsked('data'),
      rest,
    ],
  },
  {
    name: 'ephemeral-volume',
    steps: [
      storageClass(),
      withEphemeral,
      exists(claims.get('web-tmp').path),
      provisionerAsked('web-tmp'),
      refused('web'),
    ],
  },
  {
    name: 'schedule-claim-deleted',
    also: seeVolumes('a'),
    steps: [
      volume('a'),
      volumeIs('a', 'Available'),
      claim('data'),
      ...bound('data'),
      user('first', 'data'),
      running('first'),
      claims.delete('data'),
      user('second', 'data'),
      refused('second'),
    ],
  },
  {
    name: 'schedule-claim-lost',
    steps: [
      volume('a'),
      volumeIs('a', 'Available'),
      claim('data'),
      ...bound('data'),
      volumes.delete(volumeName('a')),
      volumes.merge(volumeName('a'), { metadata: { finalizers: null } }),
      claimIs('data', 'Lost'),
      user('web', 'data'),
      refused('web'),
    ],
  },
  {
    name: 'schedule-claim-of-one-pod',
    also: seeVolumes('a'),
    steps: [
      volume('a', { accessModes: ['ReadWriteOncePod'] }),
      volumeIs('a', 'Available'),
      claim('data', { accessModes: ['ReadWriteOncePod'] }),
      ...bound('data'),
      user('first', 'data'),
      running('first'),
      user('second', 'data'),
      refused('second'),
      rest,
      pods.delete('first'),
      running('second'),
    ],
  },
  {
    name: 'schedule-topology',
    places: true,
    anyNumber: waits,
    steps: [
      storageClass({
        volumeBindingMode: 'WaitForFirstConsumer',
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['b'] }] }],
      }),
      claim('data'),
      user('web', 'data'),
      provisionerAsked('data'),
      rest,
    ],
  },
  {
    name: 'schedule-two-claims',
    places: true,
    anyNumber: waits,
    also: seeVolumes('a', 'b', 'c'),
    steps: [
      local,
      volume('a', { capacity: { storage: '5Gi' }, ...onNode('node-2') }),
      volume('b', { capacity: { storage: '2Gi' }, ...onNode('node-2') }),
      volume('c', onNode('node-1')),
      ...['a', 'b', 'c'].map((name) => volumeIs(name, 'Available')),
      claim('large', { resources: { requests: { storage: '2Gi' } } }),
      claim('small'),
      rest,
      pods.create(
        pod('web', {
          volumes: ['large', 'small'].map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
        }),
      ),
      running('web'),
    ],
  },
  {
    name: 'ephemeral-volume-bound',
    also: seeVolumes('a'),
    steps: [
      volume('a'),
      volumeIs('a', 'Available'),
      withEphemeral,
      running('web'),
      rest,
      pods.delete('web'),
      gone(claims.get('web-tmp').path),
      volumeIs('a', 'Released'),
    ],
  },
  {
    name: 'ephemeral-volume-taken',
    steps: [claim('web-tmp', { storageClassName: '', volumeName: 'none' }), rest, withEphemeral, refused('web')],
  },
  {
    name: 'volumes-of-stateful-set',
    also: seeVolumes('a', 'b'),
    steps: [
      volume('a', { claimRef: { namespace: '{{ns}}', name: 'data-web-0' } }),
      volume('b', { claimRef: { namespace: '{{ns}}', name: 'data-web-1' } }),
      volumeIs('a', 'Available'),
      volumeIs('b', 'Available'),
      // Bound before, since the StatefulSet controller and the binder would write them at the same time.
      claim('data-web-0'),
      claim('data-web-1'),
      ...bound('data-web-0'),
      ...bound('data-web-1'),
      rest,
      statefulSets.create(
        object('apps/v1', 'StatefulSet', 'web', {
          spec: {
            replicas: 2,
            serviceName: 'web',
            selector: { matchLabels: { app: 'web' } },
            template: { metadata: { labels: { app: 'web' } }, spec: podSpec() },
            volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: template['spec'] as JsonObject }],
            persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
          },
        }),
      ),
      until(statefulSets.get('web').path, { 'status.readyReplicas': 2 }),
      look('ready'),
      statefulSets.merge('web', { spec: { replicas: 1 } }),
      gone(claims.get('data-web-1').path),
      volumeIs('b', 'Released'),
    ],
  },
]
