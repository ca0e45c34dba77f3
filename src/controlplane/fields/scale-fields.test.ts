import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../api/json.ts'
import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { parentEntries, scaleEntries } from './scale-fields.ts'
import { trackUpdate } from './track-update.ts'

const paths = { 'apps/v1': ['spec', 'replicas'] }
const time = '2026-11-15T23:17:14Z'

const entry = (
  manager: string,
  operation: 'Apply' | 'Update',
  fields: string[],
  more: ManagedFieldsEntry = {},
): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: 'apps/v1',
  time,
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': Object.fromEntries(fields.map((name) => [`f:${name}`, {}])) },
  ...more,
})

/** A write of `replicas` through the scale subresource, as the server does it. */
function scale(
  parent: ManagedFieldsEntry[],
  manager: string,
  from: number,
  to: number,
): ManagedFieldsEntry[] | undefined {
  const object = (replicas: number): KubeObject => {
    const managedFields = scaleEntries(parent, paths)
    return { metadata: { name: 'sd', ...(managedFields === undefined ? {} : { managedFields }) }, spec: { replicas } }
  }
  const next = object(to)
  trackUpdate(deepFreeze(object(from)), next, manager, {
    shape: builtinShape('io.k8s.api.autoscaling.v1.Scale'),
    group: 'autoscaling',
    version: 'v1',
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    subresource: 'scale',
    resetPaths: [],
    now: Date.parse(time),
  })
  return parentEntries(parent, next.metadata.managedFields, 'apps/v1', paths)
}

describe('scale', () => {
  it('field tracking of scale shows the owners of the replicas as owners of the replicas of the Scale', () => {
    const parent = [
      entry('u', 'Apply', ['selector']),
      entry('w', 'Apply', ['replicas', 'paused']),
      entry('z', 'Update', ['replicas'], { apiVersion: 'apps/v0' }),
    ]
    expect(scaleEntries(parent, paths)).toEqual([entry('w', 'Apply', ['replicas'], { apiVersion: 'autoscaling/v1' })])
    expect(scaleEntries(parent.slice(0, 1), paths)).toBeUndefined()
  })

  it('field tracking of scale takes the replicas from their owner, as recorded: the new one has no time', () => {
    const parent = [entry('u', 'Apply', ['selector']), entry('w', 'Apply', ['replicas'])]
    const { time: _, ...hpa } = entry('hpa', 'Update', ['replicas'], { subresource: 'scale' })
    expect(scale(parent, 'hpa', 9, 5)).toEqual([entry('u', 'Apply', ['selector']), hpa])
    const more = [entry('w', 'Apply', ['paused', 'replicas'])]
    expect(scale(more, 'hpa', 9, 5)).toEqual([entry('w', 'Apply', ['paused']), hpa])
  })

  it('field tracking of scale changes nothing for an applier when the replicas stay', () => {
    const parent = [entry('w', 'Apply', ['paused', 'replicas'])]
    expect(scale(parent, 'hpa', 9, 9)).toEqual(parent)
  })

  it('field tracking of scale drops entries of versions without a path, and nothing else is tracked', () => {
    const kept = entry('u', 'Apply', ['selector'])
    const dropped = entry('o', 'Apply', ['selector'], { apiVersion: 'apps/v0' })
    expect(scale([kept, dropped], 'hpa', 9, 5)).toEqual([kept])
  })
})
