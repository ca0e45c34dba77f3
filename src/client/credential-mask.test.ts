import { describe, expect, it } from 'vitest'
import { CredentialMask } from './credential-mask.ts'

const token = 'eyJhbGciOi.payload-of-the-token.signature'
const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\nAbCdEfGhIjKl\n-----END PRIVATE KEY-----\n'

function mask(): CredentialMask {
  const made = new CredentialMask()
  made.add({ authorization: `Bearer ${token}`, certificate: { cert: 'CERT', key } })
  made.add({ authorization: `Basic ${btoa('dev:pass"word')}` })
  return made
}

describe('masked credentials', () => {
  it.each([
    ['a token', `got ${token}, twice ${token}`, 'got [masked], twice [masked]'],
    ['a token that was cut off', `got ${token.slice(0, 20)}...`, 'got [masked]...'],
    ['a token in a URL', `?t=${encodeURIComponent(token)}`, '?t=[masked]'],
    ['a token in base64', btoa(token).replace(/=+$/, ''), '[masked]'],
    ['a password', 'pass"word', '[masked]'],
    ['a password in JSON', JSON.stringify('pass"word'), '"[masked]"'],
    ['a Basic header', `Basic ${btoa('dev:pass"word')}`, 'Basic [masked]'],
    ['a key', key, '-----BEGIN PRIVATE KEY-----\n[masked]\n-----END PRIVATE KEY-----\n'],
    ['other text', 'pods "a" is forbidden', 'pods "a" is forbidden'],
  ])('%s', (_name, text, masked) => {
    expect(mask().text(text)).toBe(masked)
  })

  it('tokens that begin alike are masked to their ends, even if they were cut off', () => {
    const made = new CredentialMask()
    for (const end of ['first', 'second', 'third']) made.addSecret(`eyJhbGciOiJSUzI1NiJ9.${end}`)
    const text = 'eyJhbGciOiJSUzI1NiJ9.second eyJhbGciOiJSUzI1NiJ9.thi eyJhbGciOiJSUzI1NiJ9.first'
    expect(made.text(text)).toBe('[masked] [masked] [masked]')
  })

  it('values and names in JSON are masked; other values are the same', () => {
    const other = { a: ['b', 1, null] }
    expect(mask().json(other)).toBe(other)
    expect(mask().json({ [token]: [{ a: `Bearer ${token}` }, 5, null] })).toEqual({
      '[masked]': [{ a: 'Bearer [masked]' }, 5, null],
    })
  })

  it('short secrets are not masked, and only the latest are known', () => {
    const made = new CredentialMask()
    made.addSecret('admin')
    expect(made.text('admin')).toBe('admin')
    for (let i = 0; i < 33; i++) made.addSecret(`token-number-${i}-`)
    expect(made.text('token-number-32-')).toBe('[masked]')
    made.addSecret('quite-another-one')
    for (let i = 0; i < 32; i++) made.addSecret(`token-number-${i}-`)
    expect(made.text('quite-another-one')).toBe('quite-another-one')
  })

  it('the text of a program keeps what explains a failure', () => {
    const made = new CredentialMask()
    for (const text of [
      'no session',
      'open https://login.example.com/device and enter ABCD-EFGH',
      'token: expired',
      'Basic authentication failed',
      'GET https://a1.eks.eu-west-1.amazonaws.com/v2: 403',
      '/usr/local/lib/python3/site-packages/azure/cli: no module',
    ])
      expect(made.programText(text)).toBe(text)
    const jwt = 'eyJhbGciOiJSUzI1NiIsImtpZCI6.eyJpc3MiOiJrdWJlcm5ldGVz.c2lnbmF0dXJlLW9mLTEyMw'
    expect(made.programText(`id_token=a.b-1234 and ${jwt}`)).toBe('id_token=[masked] and [masked].[masked].[masked]')
  })
})
