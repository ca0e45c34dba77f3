import { describe, expect, it } from 'vitest'
import { bodyTypeError, wrongKindReason } from './body-type-errors.ts'

const wanted = { group: '', kind: 'ConfigMap' }

describe('wrongKindReason', () => {
  it('wrongKindReason says what cannot be made into what', () => {
    expect(wrongKindReason('Deployment', 'apps/v1', wanted, {})).toBe(
      'converting (v1.Deployment) to (core.ConfigMap): unknown conversion',
    )
    expect(wrongKindReason('Status', 'v1', wanted, {})).toMatch(/unknown conversion$/)
  })

  it('wrongKindReason reads the body as what it says it is first', () => {
    expect(wrongKindReason('Secret', 'v1', wanted, { data: { a: '1' } })).toBe('illegal base64 data at input byte 0')
  })

  it.each([
    ['configmap', 'v1'],
    ['ConfigMap', 'v2'],
    ['Foo', 'foo/v1'],
    ['__proto__', 'v1'],
  ])('wrongKindReason does not know %s of %s', (kind, apiVersion) => {
    expect(wrongKindReason(kind, apiVersion, wanted, {})).toMatch(/^no kind ".*" is registered for version/)
  })
})

describe('bodyTypeError', () => {
  it('bodyTypeError names the type of the value', () => {
    expect(bodyTypeError([])).toMatch(/cannot unmarshal array into Go value of type struct/)
  })
})
