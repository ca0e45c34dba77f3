import { describe, expect, it } from 'vitest'
import { fieldErrorMessage } from './field-error.ts'
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from './object.ts'
import { validateFieldManager, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts'

const namespaced = { namespaced: true, nameRule: 'subdomain' } as const
const clusterScoped = { namespaced: false, nameRule: 'subdomain' } as const

function created(meta: ObjectMeta, options: Parameters<typeof validateObjectMeta>[1] = namespaced): string[] {
  return validateObjectMeta({ name: 'a', ...(options.namespaced ? { namespace: 'n' } : {}), ...meta }, options).map(
    fieldErrorMessage,
  )
}

function updated(next: ObjectMeta, old: ObjectMeta): string[] {
  const base = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1' }
  return validateObjectMetaUpdate({ ...base, ...next }, { ...base, ...old }).map(fieldErrorMessage)
}

describe('on creation', () => {
  it('validateObjectMeta accepts ordinary metadata', () => {
    expect(
      created({
        generateName: 'a-',
        generation: 1,
        labels: { 'x.y/z': 'v' },
        annotations: { 'X.Y/z': 'any <text>' },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'A', name: 'a', uid: '1', controller: true }],
        finalizers: ['ex.io/f', 'orphan'],
        managedFields: [{ manager: 'm', operation: 'Apply', fieldsType: 'FieldsV1' }],
      }),
    ).toEqual([])
    expect(created({}, clusterScoped)).toEqual([])
  })

  it('validateObjectMeta wants a name and a namespace where there is one', () => {
    expect(created({ name: '' })).toEqual(['metadata.name: Required value: name or generateName is required'])
    expect(created({ namespace: '' })).toEqual(['metadata.namespace: Required value'])
    expect(created({ namespace: 'n' }, clusterScoped)).toEqual([
      'metadata.namespace: Forbidden: not allowed on this type',
    ])
    expect(created({ namespace: 'a.b' })).toEqual(['metadata.namespace: Invalid value: "a.b": must not contain dots'])
  })

  it('validateObjectMeta checks name and generateName by the rule of the kind', () => {
    const [generateName, name] = created({ generateName: 'A_-', name: 'B_' })
    expect(generateName).toMatch(/^metadata\.generateName: Invalid value: "A_-": a lowercase RFC 1123 subdomain must/)
    expect(name).toMatch(/^metadata\.name: Invalid value: "B_": a lowercase RFC 1123 subdomain must/)
    expect(created({ name: 'system:x' }, { namespaced: true, nameRule: 'pathSegment' })).toEqual([])
    expect(created({ name: '1a' }, { namespaced: true, nameRule: 'label1035' })).toHaveLength(1)
    expect(created({ name: 'x' }, { namespaced: true, nameRule: (text) => [`no ${text}`] })).toEqual([
      'metadata.name: Invalid value: "x": no x',
    ])
  })

  it('validateObjectMeta checks labels and annotations, naming the map', () => {
    const [key, value] = created({ labels: { '/a': '-' } })
    expect(key).toBe('metadata.labels: Invalid value: "/a": prefix part must be non-empty')
    expect(value).toMatch(/^metadata\.labels: Invalid value: "-": a valid label must be an empty string or consist/)
    expect(created({ annotations: { '/a': '-' } })).toEqual([
      'metadata.annotations: Invalid value: "/a": prefix part must be non-empty',
    ])
    expect(created({ generation: -1 })).toEqual([
      'metadata.generation: Invalid value: -1: must be greater than or equal to 0',
    ])
  })

  it('validateObjectMeta limits annotations to 256 KiB of UTF-8', () => {
    expect(created({ annotations: { a: 'x'.repeat(262143) } })).toEqual([])
    expect(created({ annotations: { a: 'é'.repeat(131071) } })).toEqual([])
    const tooLong = ['metadata.annotations: Too long: may not be more than 262144 bytes']
    expect(created({ annotations: { a: 'x'.repeat(262144) } })).toEqual(tooLong)
    expect(created({ annotations: { a: 'é'.repeat(131072) } })).toEqual(tooLong)
  })

  it('validateObjectMeta wants whole owner references', () => {
    expect(created({ ownerReferences: [{ kind: 'X' } as OwnerReference] })).toEqual([
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ])
    for (const apiVersion of ['a/', '/', 'a/b/c']) {
      expect(created({ ownerReferences: [{ apiVersion, kind: 'A', name: 'a', uid: '1' }] })).toEqual([
        `metadata.ownerReferences.apiVersion: Invalid value: "${apiVersion}": version must not be empty`,
      ])
    }
  })

  it('validateObjectMeta allows one controller and no Event as an owner', () => {
    const controller = (kind: string, name: string, uid: string): OwnerReference => ({
      uid,
      name,
      kind,
      apiVersion: 'v1',
      controller: true,
    })
    expect(created({ ownerReferences: [controller('A', 'a', '1'), controller('B', 'b', '2')] })).toEqual([
      'metadata.ownerReferences: Invalid value: ' +
        '[{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":true},{"apiVersion":"v1","kind":"B",' +
        '"name":"b","uid":"2","controller":true}]: Only one reference can have Controller set to true. Found ' +
        '"true" in references for A/a and B/b',
    ])
    expect(created({ ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'e', uid: '1' }] })).toEqual([
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"e","uid":"1"}: ' +
        '/v1, Kind=Event is disallowed from being an owner',
    ])
  })

  it('validateObjectMeta checks finalizers', () => {
    expect(created({ finalizers: ['/x'] })).toEqual([
      'metadata.finalizers: Invalid value: "/x": prefix part must be non-empty',
    ])
    expect(created({ finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and ' +
        'foregroundDeletion cannot be both set',
    ])
  })

  it('validateObjectMeta checks managed fields', () => {
    const entry = { operation: 'X', fieldsType: 'V2', manager: 'x'.repeat(129), subresource: 's'.repeat(257) }
    expect(created({ managedFields: [entry as unknown as ManagedFieldsEntry] })).toEqual([
      'metadata.managedFields[0].operation: Invalid value: "X": must be `Apply` or `Update`',
      'metadata.managedFields[0].fieldsType: Invalid value: "V2": must be `FieldsV1`',
      'metadata.managedFields[0].manager: Too long: may not be more than 128 bytes',
      'metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes',
    ])
  })

  it('validateObjectMeta wants printable field managers', () => {
    expect(validateFieldManager('kubectl é 😀', 'fieldManager')).toEqual([])
    expect(validateFieldManager('é\x07', 'fieldManager').map(fieldErrorMessage)).toEqual([
      'fieldManager: Invalid value: "é\\a": invalid character U+0007 (at position 2)',
    ])
  })
})

describe('on update', () => {
  it('validateObjectMetaUpdate accepts what stays', () => {
    expect(updated({ labels: { a: 'b' }, generation: 2 }, { generation: 1 })).toEqual([])
  })

  it('validateObjectMetaUpdate lets no finalizer be added to what is being deleted', () => {
    const old = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['ex.io/f'] }
    expect(updated({ ...old, finalizers: ['ex.io/f', 'ex.io/g'] }, old)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found ' +
        'new finalizers []string{"ex.io/g"}',
    ])
    expect(updated({ ...old, finalizers: [] }, old)).toEqual([])
    expect(updated({ finalizers: ['ex.io/g'] }, {})).toEqual([])
  })

  it('validateObjectMetaUpdate keeps what identifies an object, in this order', () => {
    const time = '2026-01-01T00:00:00Z'
    const changed = updated(
      { resourceVersion: '', generation: 1, name: 'b', namespace: 'm', uid: 'v' },
      { generation: 2, creationTimestamp: time, deletionTimestamp: time, deletionGracePeriodSeconds: 0 },
    )
    expect(changed).toEqual([
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
      'metadata.generation: Invalid value: 1: must not be decremented',
      'metadata.name: Invalid value: "b": field is immutable',
      'metadata.namespace: Invalid value: "m": field is immutable',
      'metadata.uid: Invalid value: "v": field is immutable',
      'metadata.creationTimestamp: Invalid value: null: field is immutable',
      'metadata.deletionTimestamp: Invalid value: null: field is immutable',
      'metadata.deletionGracePeriodSeconds: Invalid value: null: field is immutable',
    ])
  })
})
