import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { kubeconfigText } from './kubeconfig.ts'
import { readCertificates, readIssuer, readSigningKey } from './sign-in-options.ts'

const folder = mkdtempSync(join(tmpdir(), 'coxswain-sign-in-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('readCertificates', () => {
  it('readCertificates reads users and their groups', () => {
    expect(readCertificates('alice=dev+ops,system:admin=system:masters,bob', false)).toEqual([
      { user: 'alice', groups: ['dev', 'ops'] },
      { user: 'system:admin', groups: ['system:masters'] },
      { user: 'bob', groups: [] },
    ])
    expect(readCertificates(undefined, true)).toEqual([])
  })

  it.each([
    ['=dev', false, /must be USER/],
    ['a,a', false, /is taken/],
    ['admin', false, /is taken/],
    ['a', true, /needs TLS/],
  ])('readCertificates refuses %s', (text, withoutTls, message) => {
    expect(() => readCertificates(text, withoutTls)).toThrow(message)
  })
})

describe('readSigningKey', () => {
  it('readSigningKey takes a private key and nothing else', () => {
    const file = join(folder, 'key')
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    expect(readSigningKey(file)).toContain('PRIVATE KEY')
    writeFileSync(file, publicKey.export({ type: 'spki', format: 'pem' }))
    expect(() => readSigningKey(file)).toThrow('holds no RSA or EC private key')
    expect(() => readSigningKey(join(folder, 'none'))).toThrow('ENOENT')
    expect(readSigningKey(undefined)).toBeUndefined()
  })
})

describe('readIssuer', () => {
  it('readIssuer wants an address that others could reach', () => {
    expect(readIssuer('https://x')).toBe('https://x')
    expect(() => readIssuer('http://x')).toThrow('must be a URL that starts with https://')
  })
})

describe('kubeconfigText', () => {
  it('kubeconfigText has a user and a context for each certificate', () => {
    const text = kubeconfigText({
      url: 'https://x',
      caCert: 'ca',
      token: 't',
      certificates: [{ user: 'system:a', cert: 'c', key: 'k' }],
    })
    expect(parse(text)).toMatchObject({
      'current-context': 'coxswain',
      users: [
        { name: 'admin' },
        { name: 'system:a', user: { 'client-certificate-data': 'Yw==', 'client-key-data': 'aw==' } },
      ],
      contexts: [{ name: 'coxswain' }, { name: 'system:a', context: { cluster: 'coxswain', user: 'system:a' } }],
    })
  })
})
