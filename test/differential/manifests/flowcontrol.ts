/** flowcontrol.apiserver.k8s.io/v1. */
import { badMetadata, fullMetadata, variants, type KindManifests } from './manifest.ts'

const flowcontrol = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', namespaced: false } as const
const apiVersion = 'flowcontrol.apiserver.k8s.io/v1'
const user = { kind: 'User', user: { name: 'nobody' } }
const condition = {
  type: 'Dangling',
  status: 'False',
  reason: 'Found',
  message: 'm',
  lastTransitionTime: '2026-01-02T03:04:05Z',
}

export const flowcontrolManifests: readonly KindManifests[] = [
  {
    ...flowcontrol,
    resource: 'flowschemas',
    kind: 'FlowSchema',
    tended: true,
    minimal: {
      apiVersion,
      kind: 'FlowSchema',
      metadata: { name: 'manifest-min' },
      spec: { priorityLevelConfiguration: { name: 'workload-low' } },
    },
    full: {
      apiVersion,
      kind: 'FlowSchema',
      metadata: fullMetadata('manifest-full'),
      spec: {
        priorityLevelConfiguration: { name: 'workload-low' },
        matchingPrecedence: 9000,
        distinguisherMethod: { type: 'ByNamespace' },
        rules: [
          {
            subjects: [
              user,
              { kind: 'Group', group: { name: 'none' } },
              { kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'nowhere' } },
            ],
            resourceRules: [
              { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'], namespaces: ['nowhere'] },
              { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
            ],
            nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/never', '/never/*'] }],
          },
        ],
      },
    },
    change: { spec: { matchingPrecedence: 9001 } },
    status: { status: { conditions: [condition] } },
    badStatus: variants({ 'condition twice': { status: { conditions: [condition, condition] } } }),
    bad: variants({
      ...badMetadata,
      'no level': { spec: { priorityLevelConfiguration: { name: '' } } },
      'bad level': { spec: { priorityLevelConfiguration: { name: 'A b' } } },
      'precedence below one': { spec: { matchingPrecedence: -1 } },
      'precedence too high': { spec: { matchingPrecedence: 10001 } },
      'precedence of the exempt': { spec: { matchingPrecedence: 1 } },
      'unknown method': { spec: { distinguisherMethod: { type: 'ByMoon' } } },
      'no subjects': {
        spec: { rules: [{ subjects: [], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }] },
      },
      'unknown subject': {
        spec: {
          rules: [{ subjects: [{ kind: 'Odd' }], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }],
        },
      },
      'user without user': {
        spec: {
          rules: [{ subjects: [{ kind: 'User' }], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }],
        },
      },
      'no rules': { spec: { rules: [{ subjects: [user] }] } },
      'bad rules': {
        spec: {
          rules: [
            {
              subjects: [user],
              resourceRules: [{ verbs: ['*', 'get'], apiGroups: [], resources: ['*', 'a'] }],
              nonResourceRules: [{ verbs: ['odd'], nonResourceURLs: ['x'] }],
            },
          ],
        },
      },
    }),
  },
  {
    ...flowcontrol,
    resource: 'prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    tended: true,
    minimal: {
      apiVersion,
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'manifest-min' },
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    },
    full: {
      apiVersion,
      kind: 'PriorityLevelConfiguration',
      metadata: fullMetadata('manifest-full'),
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 1,
          lendablePercent: 50,
          borrowingLimitPercent: 10,
          limitResponse: { type: 'Queue', queuing: { queues: 16, handSize: 4, queueLengthLimit: 20 } },
        },
      },
    },
    change: { spec: { limited: { lendablePercent: 40 } } },
    status: { status: { conditions: [{ ...condition, type: 'Odd' }] } },
    badStatus: variants({ 'condition twice': { status: { conditions: [condition, condition] } } }),
    bad: variants({
      ...badMetadata,
      'unknown type': { spec: { type: 'Odd' } },
      'exempt with limits': { spec: { type: 'Exempt' } },
      'limited without limits': { spec: { limited: null } },
      'shares below zero': { spec: { limited: { nominalConcurrencyShares: -1 } } },
      'percentage too high': { spec: { limited: { lendablePercent: 101, borrowingLimitPercent: -1 } } },
      'unknown response': { spec: { limited: { limitResponse: { type: 'Odd' } } } },
      'reject with queues': { spec: { limited: { limitResponse: { type: 'Reject' } } } },
      'queue without queues': { spec: { limited: { limitResponse: { queuing: null } } } },
      'hand larger than queues': { spec: { limited: { limitResponse: { queuing: { queues: 2, handSize: 3 } } } } },
      'queues below zero': {
        spec: { limited: { limitResponse: { queuing: { queues: -1, handSize: -1, queueLengthLimit: -1 } } } },
      },
    }),
  },
]
