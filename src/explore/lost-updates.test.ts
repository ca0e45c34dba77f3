import { expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { lostField } from './lost-updates.ts'

function object(annotations?: Record<string, string>, owned?: Record<string, JsonObject>): KubeObject {
  const managedFields = Object.entries(owned ?? {}).map(([manager, fieldsV1]) => ({ manager, fieldsV1 }))
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', annotations, managedFields } } as KubeObject
}

const annotations = (...keys: readonly string[]): JsonObject => ({
  'f:metadata': { 'f:annotations': { '.': {}, ...Object.fromEntries(keys.map((key) => [`f:${key}`, {}])) } },
})
const operator = new Set(['operator'])

it('names the field that is lost, also if the map around it is gone with it', () => {
  const before = object({ now: 'yes' }, { user: annotations('now') })
  expect(lostField(before, object(), operator)).toEqual({ field: 'metadata.annotations.now', manager: 'user' })
})

it('a field is lost with a map in which the operator owned another one', () => {
  const before = object({ now: 'yes', own: 'a' }, { operator: annotations('own'), user: annotations('now') })
  expect(lostField(before, object(), operator)).toEqual({ field: 'metadata.annotations.now', manager: 'user' })
})

it('a map that only held fields of the operator is not lost with them', () => {
  const before = object({ own: 'a' }, { user: annotations(), operator: annotations('own') })
  expect(lostField(before, object(), operator)).toBeUndefined()
})
