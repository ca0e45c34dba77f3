import { describe, expect, it } from 'vitest'
import { ApiError } from './status.ts'
import { errorText } from './error-text.ts'

const refused = new Error('connect ECONNREFUSED 127.0.0.1:1')

describe('the text of an error', () => {
  it('the text of an error names its causes', () => {
    const fetchFailed = new TypeError('fetch failed', { cause: refused })
    expect(errorText(fetchFailed)).toBe('fetch failed: connect ECONNREFUSED 127.0.0.1:1')
    expect(errorText(new Error('no price', { cause: fetchFailed }))).toBe(
      'no price: fetch failed: connect ECONNREFUSED 127.0.0.1:1',
    )
  })

  it('the text of an error names a cause once', () => {
    const said = new Error(`no price: ${refused.message}`, { cause: refused })
    expect(errorText(said)).toBe('no price: connect ECONNREFUSED 127.0.0.1:1')
    expect(errorText(new AggregateError([refused], `1 failed: ${refused.message}`))).toBe(
      `1 failed: ${refused.message}`,
    )
  })

  it('the text of an error names all errors of an AggregateError, up to four', () => {
    const both = new AggregateError([new Error('connect ECONNREFUSED ::1:1'), refused])
    expect(errorText(new TypeError('fetch failed', { cause: both }))).toBe(
      'fetch failed: connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
    )
    const many = new AggregateError([...'abcdef'].map((each) => new Error(each)))
    expect(errorText(many)).toBe('a; b; c; d; and 2 more')
  })

  it('the text of an error of the API server is its message', () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 404,
      message: 'not there',
    }
    const error = Object.assign(new ApiError(status as ConstructorParameters<typeof ApiError>[0]), { cause: refused })
    expect(errorText(error)).toBe('not there')
  })

  it('the text of an error ends where causes are a circle, and has a text for any value', () => {
    const circle = new Error('round')
    circle.cause = new Error('about', { cause: circle })
    expect(errorText(circle)).toBe('round: about: round: about')
    expect(errorText(Object.assign(new Error(''), { code: 'ENOENT' }))).toBe('ENOENT')
    expect(errorText(new TypeError(''))).toBe('TypeError')
    expect(errorText(undefined)).toBe('undefined')
    expect(errorText('thrown')).toBe('thrown')
  })
})
