import { describe, expect, it } from 'vitest'
import type { Json } from '../../api/json.ts'
import { deleteOptions } from './options.ts'
import { parseResourceVersion } from './resource-version.ts'

const read = (body: Json) => deleteOptions(body, new URLSearchParams())

describe('delete options in a body', () => {
  it('delete options in a body refuse a dry run of another type, which must not become a real delete', () => {
    expect(() => read({ dryRun: 'All' })).toThrow(
      'json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string',
    )
    expect(() => read({ dryRun: [true] })).toThrow('DeleteOptions.dryRun of type string')
    expect(read({ dryRun: ['All'] }).dryRun).toBe(true)
    expect(read({ dryRun: null }).dryRun).toBe(false)
  })

  it('delete options in a body refuse preconditions that are no object', () => {
    expect(() => read({ preconditions: 'x' })).toThrow('DeleteOptions.preconditions')
  })

  it('delete options in a body refuse a part of a second', () => {
    expect(() => read({ gracePeriodSeconds: 1.5 })).toThrow('cannot unmarshal number 1.5')
  })
})

describe('resourceVersion of an object', () => {
  it('resourceVersion of an object tells what is no number from what is too large', () => {
    expect(() => parseResourceVersion('abc')).toThrow('invalid syntax')
    expect(() => parseResourceVersion('18446744073709551616')).toThrow('value out of range')
    expect(parseResourceVersion('12')).toBe(12)
  })
})
