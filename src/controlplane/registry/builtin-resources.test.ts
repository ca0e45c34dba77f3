import { expect, test } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { schemas } from '../../facts/facts.ts'
import { strategyFor, scaleOf, sharedKind } from '../resources/index.ts'
import { builtinResources, typeName } from './builtin-resources.ts'

test('every kind that the facts give to one group and version is where its type name says', () => {
  let kinds = 0
  for (const [name, schema] of schemas().entries()) {
    const [only, ...others] = schema['x-kubernetes-group-version-kind'] ?? []
    if (only === undefined || others.length > 0 || name.includes('.meta.')) continue
    expect(typeName(only.group, only.version, only.kind)).toBe(name)
    kinds++
  }
  expect(kinds).toBeGreaterThan(100)
})

test('every resource has a type', () => {
  const resources = builtinResources({ strategyFor, scaleOf })
  expect(resources.length).toBeGreaterThan(60)
  for (const { group, version, kind } of resources) expect(schemas().has(typeName(group, version, kind))).toBe(true)
})

test('an object of a kind with two versions is converted from its own, whichever the resource is', () => {
  const resources = builtinResources({ strategyFor, scaleOf, sharedKind }).filter(
    ({ plural }) => plural === 'horizontalpodautoscalers',
  )
  const older = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'a' },
    spec: { scaleTargetRef: {}, targetCPUUtilizationPercentage: 60 },
  }
  expect(resources.map(({ version }) => version).toSorted()).toEqual(['v1', 'v2'])
  for (const each of resources) {
    const newer = each.convert?.(older, 'autoscaling/v2', '') as { object: KubeObject }
    // Typed, so that missing strings are empty: field ownership compares this form.
    expect(newer.object).toMatchObject({
      apiVersion: 'autoscaling/v2',
      spec: { scaleTargetRef: { kind: '', name: '' }, metrics: [{ resource: { target: { averageUtilization: 60 } } }] },
    })
    expect(each.convert?.(newer.object, 'autoscaling/v1', '')).toMatchObject({
      object: { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 60 } },
    })
    const wrong = each.convert?.({ ...older, spec: { ...older.spec, minReplicas: 'x' } }, 'autoscaling/v2', '') as {
      problem: string
    }
    expect(wrong.problem).toContain('unable to convert unstructured object to autoscaling/v1')
    expect(each.convert?.(older, 'autoscaling/v3', '')).toBeUndefined()
  }
})
