import { describe, expect, it } from 'vitest'
import { ConfigMap, Deployment, Lease, ReplicaSet, Secret } from '../schema/builtin/kinds.ts'
import { policyRules } from './policy-rules.ts'

describe('rules', () => {
  it('policy rules join what has the same verbs, in one order whatever the order of the declarations', () => {
    const needed = [
      { kind: Deployment, verbs: ['patch', 'get'] },
      { kind: ReplicaSet, verbs: ['get'] },
      { kind: ReplicaSet, verbs: ['patch'] },
      { kind: ConfigMap, verbs: ['watch'] },
      { kind: Deployment, subresource: 'scale', verbs: ['update'] },
    ] as const
    const rules = [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] },
      { apiGroups: ['apps'], resources: ['deployments', 'replicasets'], verbs: ['get', 'patch'] },
      { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['update'] },
    ]
    expect(policyRules(needed)).toEqual(rules)
    expect(policyRules([...needed].reverse())).toEqual(rules)
  })

  it('policy rules never join what would grant more than is needed', () => {
    expect(
      policyRules([
        { kind: Secret, verbs: ['get'] },
        { kind: ConfigMap, verbs: ['get', 'delete'] },
      ]),
    ).toEqual([
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'delete'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
    ])
  })

  it('policy rules name objects where that is enough; what is created has no name yet', () => {
    expect(policyRules([{ kind: Lease, names: ['b', 'a'], verbs: ['update', 'create', 'get'] }])).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['a', 'b'],
        verbs: ['get', 'update'],
      },
    ])
    expect(
      policyRules([
        { kind: Lease, names: ['a'], verbs: ['get'] },
        { kind: Lease, verbs: ['get', 'list'] },
      ]),
    ).toEqual([{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list'] }])
  })
})
