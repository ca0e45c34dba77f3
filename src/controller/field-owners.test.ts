import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import { fieldText, isOwnedByOthers, lastOtherOwner, owns } from './field-owners.ts'

const entry = (manager: string, fieldsV1: JsonObject, more: object = {}) =>
  ({ manager, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1, ...more }) as never
const replicas = ['f:spec', 'f:replicas']

describe('who owns a field', () => {
  it('the owner of a field is found by its path through fieldsV1', () => {
    const mine = entry('us', {
      'f:spec': { 'f:replicas': {}, 'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {} } } },
    })
    expect(owns(mine, replicas)).toBe(true)
    expect(owns(mine, ['f:spec', 'f:containers', 'k:{"name":"web"}', 'f:image'])).toBe(true)
    expect(owns(mine, ['f:spec', 'f:containers', 'k:{"name":"web"}', 'f:args'])).toBe(false)
    expect(owns(undefined, [])).toBe(false)
    expect(owns(entry('us', {}), replicas)).toBe(false)
  })

  it('the owner of a field of what is inside of something that is owned as a whole, whoever owns that', () => {
    const entries = [entry('somebody', { 'f:spec': { 'f:selector': {} } })]
    expect(isOwnedByOthers(entries, ['f:spec', 'f:selector', 'f:app'], 'us')).toBe(true)
    expect(isOwnedByOthers(entries, ['f:spec', 'f:ports', 'f:app'], 'us')).toBe(false)
    expect(lastOtherOwner(entries, ['f:spec', 'f:selector', 'f:app'], 'us')).toBe('somebody')
  })

  it('the owner of a field of several others, who wrote last', () => {
    const entries = [
      entry('us', { 'f:spec': { 'f:replicas': {} } }, { time: '2026-01-09T00:00:00Z' }),
      entry('early', { 'f:spec': { 'f:replicas': {} } }, { time: '2026-01-01T00:00:00Z' }),
      entry('late', { 'f:spec': { 'f:replicas': {} } }, { time: '2026-01-02T00:00:00Z' }),
    ]
    expect(lastOtherOwner(entries, replicas, 'us')).toBe('late')
    expect(isOwnedByOthers(entries, replicas, 'us')).toBe(true)
    expect(isOwnedByOthers(entries, ['f:spec', 'f:paused'], 'us')).toBe(false)
  })

  it('the owner of a field of a field that is gone, who wrote around it; nobody when nobody did', () => {
    const entries = [entry('somebody', { 'f:spec': { 'f:paused': {} } })]
    expect(lastOtherOwner(entries, replicas, 'us')).toBe('somebody')
    expect(lastOtherOwner(entries, ['f:data', 'f:a'], 'us')).toBeUndefined()
    expect(lastOtherOwner(undefined, replicas, 'us')).toBeUndefined()
  })

  it('the owner of a field is not who writes the status', () => {
    expect(
      lastOtherOwner([entry('kubelet', { 'f:spec': {} }, { subresource: 'status' })], replicas, 'us'),
    ).toBeUndefined()
  })
})

it('fieldText writes a path as people do', () => {
  expect(fieldText(['f:spec', 'f:containers', 'k:{"name":"web"}', 'f:image'])).toBe('spec.containers[web].image')
  expect(fieldText(['f:ports', 'k:{"port":80,"protocol":"TCP"}'])).toBe('ports[80,TCP]')
  expect(fieldText(['f:metadata', 'f:finalizers', 'v:"a/b"'])).toBe('metadata.finalizers["a/b"]')
  expect(fieldText([])).toBe('')
})
