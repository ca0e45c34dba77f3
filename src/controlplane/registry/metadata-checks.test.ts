/** How often each kind reports bad metadata, and in which order. */
import { describe, expect, it } from 'vitest'
import type { ObjectMeta } from '../../api/object.ts'
import { changeErrors, creationErrors } from './metadata-checks.ts'
import { metadataMark, type MetadataStep, type Resource } from '../contract/resource.ts'

const bad: ObjectMeta = {
  name: 'x',
  namespace: 'n',
  resourceVersion: '1',
  generateName: 'BAD_',
  labels: { '-': 'x' },
  finalizers: ['plain'],
}
const own = [{ type: 'Required', field: 'spec', summary: 'Required value', detail: '' }] as const

function resource(steps: readonly MetadataStep[]): Resource {
  const strategy = { nameRule: 'subdomain', metadataSteps: { create: steps, update: steps, status: steps } }
  return { namespaced: true, strategy } as unknown as Resource
}

const letters: Readonly<Record<string, string>> = {
  'metadata.labels': 'L',
  'metadata.generateName': 'g',
  'metadata.finalizers[0]': 'f',
  spec: 's',
}
const short = (errors: readonly { field: string }[]) => errors.map(({ field }) => letters[field] ?? field).join('')

describe('a change', () => {
  it.each([
    [['change', 'own'], 'LLLfs'],
    [['change', 'full', 'own'], 'LLLfgLfs'],
    [['full', 'own', 'change'], 'LLgLfsLf'],
    [['plain', 'own'], 'LLgLs'],
    [['plainChange', 'own'], 'LLLs'],
    [['own'], 'LLs'],
  ] as const)('a metadata change: %j', (steps, expected) => {
    expect(short(changeErrors(resource(steps), bad, { ...bad }, steps, own, false))).toBe(expected)
  })

  it('a metadata change of nothing but the spec tells of nothing else', () => {
    const fine: ObjectMeta = { name: 'x', namespace: 'n', resourceVersion: '1' }
    expect(changeErrors(resource(['change', 'own']), fine, fine, ['change', 'own'], own, false)).toBe(own)
  })
})

describe('a change of a stored object', () => {
  const steps = ['change', 'full', 'own'] as const
  const stored: ObjectMeta = {
    name: 'x',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    labels: { a: 'b' },
    managedFields: [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }],
  }
  const errorsOf = (change: Partial<ObjectMeta>) =>
    changeErrors(resource(steps), { ...stored, ...change }, stored, steps, [], true).map(({ field }) => field)

  it('a change of a stored object that leaves metadata alone has no errors', () => {
    expect(errorsOf({})).toEqual([])
    expect(errorsOf({ generation: 3 })).toEqual([])
    expect(changeErrors(resource(steps), { ...stored }, stored, steps, [metadataMark('full'), ...own], true)).toEqual(
      own,
    )
  })

  it.each<[Partial<ObjectMeta>, string]>([
    [{ labels: { '-': 'x' } }, 'metadata.labels'],
    [{ annotations: { '-': 'x' } }, 'metadata.annotations'],
    [{ finalizers: ['-'] }, 'metadata.finalizers'],
    [{ uid: 'v' }, 'metadata.uid'],
    [{ generation: 1 }, 'metadata.generation'],
    [{ resourceVersion: '' }, 'metadata.resourceVersion'],
    [
      { managedFields: [...(stored.managedFields ?? []), { manager: '\u0007', operation: 'Apply' }] },
      'metadata.managedFields[1].manager',
    ],
  ])('%j is checked', (change, field) => {
    expect(errorsOf(change)).toContain(field)
  })
})

describe('a creation', () => {
  it.each([
    [['full', 'own'], 'gLfs'],
    [['fullButPrefix', 'own'], 'Lfs'],
    [['plain', 'own'], 'gLs'],
    [['own'], 's'],
  ] as const)('metadata of a creation: %j', (steps, expected) => {
    expect(short(creationErrors(resource(steps), bad, own))).toBe(expected)
  })

  it('metadata of a creation is checked in any case', () => {
    expect(short(creationErrors(resource(['own']), bad, []))).toBe('L')
  })
})
