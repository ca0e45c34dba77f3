import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { testPlane } from '../testdata/plane.ts'
import { checkedPod } from './check.ts'
import { violations, violationsText } from './evaluate.ts'
import { policyOf, type Level } from './policy.ts'

const labels = (given: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).map(([mode, level]) => [`pod-security.kubernetes.io/${mode}`, level]))

function assessment(level: Level, spec: JsonObject, version = Infinity): string {
  return violationsText(violations({ level, version }, checkedPod(undefined, spec)))
}

const container = (securityContext: JsonObject) => ({ containers: [{ name: 'a', securityContext }] })
const hardened = {
  ...container({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }),
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
}

describe('the levels', () => {
  it.each<[string, Level, JsonObject, string]>([
    ['nothing special', 'baseline', { containers: [{ name: 'a' }] }, ''],
    ['anything', 'privileged', container({ privileged: true }), ''],
    ['hardened', 'restricted', hardened, ''],
    ['host namespaces', 'baseline', { hostPID: true, hostIPC: true }, 'host namespaces (hostPID=true, hostIPC=true)'],
    [
      'privileged',
      'baseline',
      container({ privileged: true }),
      'privileged (container "a" must not set securityContext.privileged=true)',
    ],
    [
      'capabilities',
      'baseline',
      container({ capabilities: { add: ['SYS_TIME', 'CHOWN', 'NET_RAW'] } }),
      'non-default capabilities (container "a" must not include "NET_RAW", "SYS_TIME" in ' +
        'securityContext.capabilities.add)',
    ],
    [
      'volumes',
      'restricted',
      {
        ...hardened,
        volumes: [
          { name: 'v', hostPath: {} },
          { name: 'w', nfs: {} },
          { name: 'e', emptyDir: {} },
        ],
      },
      'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
    ],
    [
      'root',
      'restricted',
      { ...hardened, securityContext: { ...hardened.securityContext, runAsUser: 0 } },
      'runAsUser=0 (pod must not set runAsUser=0)',
    ],
  ])('%s', (_, level, spec, expected) => {
    expect(assessment(level, spec)).toBe(expected)
  })

  it('the levels were otherwise in older versions', () => {
    const unmasked = { hostUsers: false, ...container({ procMount: 'Unmasked' }) }
    expect(assessment('baseline', unmasked, 34)).toContain('procMount')
    expect(assessment('baseline', unmasked, 35)).toBe('')
    expect(
      assessment(
        'restricted',
        { ...hardened, hostUsers: false, securityContext: { seccompProfile: { type: 'Localhost' } } },
        34,
      ),
    ).toContain('runAsNonRoot')
    expect(assessment('restricted', container({ runAsNonRoot: true }), 7)).toBe('')
    expect(assessment('restricted', container({ runAsNonRoot: true }), 8)).toContain('allowPrivilegeEscalation')
  })
})

describe('the policy of a namespace', () => {
  it('the policy of a namespace warns of what it enforces, unless it says otherwise', () => {
    expect(policyOf(labels({ enforce: 'baseline', 'enforce-version': 'v1.30' }))).toMatchObject({
      enforce: { level: 'baseline', version: 30 },
      warn: { level: 'baseline', version: 30 },
      audit: { level: 'privileged' },
      errors: [],
    })
    expect(policyOf(labels({ enforce: 'restricted', warn: 'privileged' })).warn.level).toBe('privileged')
  })

  it('the policy of a namespace is the strictest where it cannot be read', () => {
    const policy = policyOf(labels({ enforce: 'foo', warn: 'bar', 'enforce-version': 'v01' }))
    expect([policy.enforce.level, policy.warn.level, policy.errors.length]).toEqual(['restricted', 'privileged', 3])
  })

  it('the policy of a namespace does not take inherited names for labels', () => {
    expect(policyOf(JSON.parse('{"__proto__":"x"}') as Record<string, string>).enforce.level).toBe('privileged')
  })
})

describe('pods, workloads and namespaces', () => {
  const spec = { containers: [{ name: 'c', image: 'i:1', securityContext: { privileged: true } }] }

  it('pods, workloads and namespaces are refused, warned of and checked again', async () => {
    const plane = testPlane()
    await plane.pod('a', spec)
    await plane.pod('b', spec)
    const tightened = await plane.patch('/api/v1/namespaces/default', {
      metadata: { labels: labels({ enforce: 'baseline' }) },
    })
    expect(tightened.warnings).toEqual([
      'existing pods in namespace "default" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 1 other pod): privileged',
    ])
    expect((await plane.pod('c', spec)).message).toBe(
      'pods "c" is forbidden: violates PodSecurity "baseline:latest": privileged (container "c" must not set ' +
        'securityContext.privileged=true)',
    )
    const deployment = await plane.post('/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec } },
    })
    expect([deployment.status, deployment.warnings.length]).toEqual([201, 1])
    expect(deployment.warnings[0]).toContain('would violate PodSecurity "baseline:latest": privileged')
    expect((await plane.patch('/api/v1/namespaces/default/pods/a', { metadata: { labels: { x: 'y' } } })).status).toBe(
      200,
    )
    const image = { spec: { containers: [{ ...spec.containers[0], image: 'j:1' }] } }
    expect((await plane.patch('/api/v1/namespaces/default/pods/a', image as JsonObject)).status).toBe(403)
  })

  it('pods, workloads and namespaces have labels that can be read', async () => {
    const plane = testPlane()
    const answer = await plane.post('/api/v1/namespaces', {
      metadata: { name: 'n', labels: labels({ enforce: 'foo' }) },
    })
    expect([answer.status, answer.message]).toEqual([
      422,
      'Namespace "n" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "foo": ' +
        'must be one of privileged, baseline, restricted',
    ])
  })
})
