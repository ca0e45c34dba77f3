import { describe, expect, it } from 'vitest'
import {
  checkConfigKey,
  checkLabel,
  checkLabel1035,
  checkLabelValue,
  checkPathSegment,
  checkQualifiedName,
  checkSubdomain,
  generatedName,
  generateSuffix,
  nameChecks,
} from './names.ts'

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must " +
  "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and " +
  "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " +
  "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for " +
  "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const keyName =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
  "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for " +
  "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

describe('names of objects', () => {
  it.each(['a', 'a.b-c.9', 'a'.repeat(253)])('the check of names accepts the subdomain %s', (name) => {
    expect(checkSubdomain(name)).toEqual([])
  })

  it.each(['', 'Bad_Name', '-a', 'a-', 'a..b', '.a', 'é', 'a\n'])(
    'the check of names refuses the subdomain %j',
    (name) => {
      expect(checkSubdomain(name)).toEqual([subdomain])
    },
  )

  it('the check of names limits lengths in bytes', () => {
    expect(checkSubdomain('a'.repeat(254))).toEqual(['must be no more than 253 characters'])
    expect(checkSubdomain('é'.repeat(127))).toEqual(['must be no more than 253 characters', subdomain])
    expect(checkLabel('a'.repeat(64))).toEqual(['must be no more than 63 characters'])
    expect(checkLabel1035('a'.repeat(64))).toEqual(['must be no more than 63 characters'])
  })

  it('the check of names tells a label with dots from other faults', () => {
    expect(checkLabel('a.b')).toEqual(['must not contain dots'])
    expect(checkLabel('A')).toEqual([label])
    expect(checkLabel1035('1a')).toEqual([label1035])
  })

  it('the check of names asks of path segments only that they fit into a path', () => {
    expect(checkPathSegment('system:node:x y')).toEqual([])
    expect(checkPathSegment('..')).toEqual(["may not be '..'"])
    expect(checkPathSegment('a/b%c')).toEqual(["may not contain '/'", "may not contain '%'"])
    expect(nameChecks.pathSegment('..', true)).toEqual([])
  })

  it('the check of names lets a prefix end with a dash', () => {
    expect(nameChecks.subdomain('web-', true)).toEqual([])
    expect(nameChecks.label('web-', true)).toEqual([])
    expect(nameChecks.label1035('web-', true)).toEqual([])
    expect(nameChecks.subdomain('web-', false)).toEqual([subdomain])
    expect(nameChecks.subdomain('-', true)).toEqual([subdomain])
  })
})

describe('label keys and values', () => {
  it.each(['a', 'A_b.C-9', 'x.y/Z', `${'a'.repeat(253)}/${'b'.repeat(63)}`])(
    'the check of labels accepts the key %s',
    (key) => {
      expect(checkQualifiedName(key)).toEqual([])
    },
  )

  it.each([
    ['', ['name part must be non-empty', `name part ${keyName}`]],
    ['/x', ['prefix part must be non-empty']],
    ['x/', ['name part must be non-empty', `name part ${keyName}`]],
    ['X/y', [`prefix part ${subdomain}`]],
    [
      'a/b/c',
      [`a valid label key ${keyName} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    ],
    ['a'.repeat(64), ['name part must be no more than 63 bytes']],
    [`${'a'.repeat(254)}/b`, ['prefix part must be no more than 253 bytes']],
  ])('the check of labels refuses the key %j', (key, complaints) => {
    expect(checkQualifiedName(key)).toEqual(complaints)
  })

  it('the check of labels checks values', () => {
    expect(checkLabelValue('')).toEqual([])
    expect(checkLabelValue('a.B_9')).toEqual([])
    expect(checkLabelValue('-')).toEqual([labelValue])
    expect(checkLabelValue('a'.repeat(64))).toEqual(['must be no more than 63 bytes'])
  })

  it('the check of labels checks keys of ConfigMaps', () => {
    expect(checkConfigKey('a..b')).toEqual([])
    expect(checkConfigKey('.')).toEqual(["must not be '.'"])
    expect(checkConfigKey('..')).toEqual(["must not be '..'"])
    expect(checkConfigKey('..a')).toEqual(["must not start with '..'"])
    expect(checkConfigKey('a/b')[0]).toMatch(/^a valid config key must consist of alphanumeric characters/)
  })
})

describe('generated names', () => {
  it('generateName takes five characters of the alphabet', () => {
    const numbers = [0, 0.999999, 0.5, 0.037, 0.74]
    expect(generateSuffix(() => numbers.shift() ?? 0)).toBe('b9rbz')
  })

  it('generateName cuts the prefix so that the whole has 63 characters', () => {
    expect(generatedName('web-', () => 0)).toBe('web-bbbbb')
    expect(generatedName('x'.repeat(80), () => 0)).toBe(`${'x'.repeat(58)}bbbbb`)
  })
})
