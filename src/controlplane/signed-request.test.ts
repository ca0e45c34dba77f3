/** A certificate that the control plane signed is a client certificate of its listeners. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { request } from 'node:https'
import { afterEach, expect, it } from 'vitest'
import {
  bitString,
  derExplicit,
  derInteger,
  derSequence,
  derSet,
  objectIdentifier,
  pem,
  utf8String,
} from '../x509/der.ts'
import { createControlPlane, type ControlPlane } from './control-plane.ts'

const planes: ControlPlane[] = []
afterEach(async () => {
  await Promise.all(planes.splice(0).map((plane) => plane.close()))
})

/** A request for the user alice of the groups dev and ops, with its key. */
function newRequest(): { request: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const attribute = (id: string, value: string) => derSet(derSequence(objectIdentifier(id), utf8String(value)))
  const subject = derSequence(attribute('2.5.4.10', 'dev'), attribute('2.5.4.10', 'ops'), attribute('2.5.4.3', 'alice'))
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const info = derSequence(derInteger(Buffer.from([0])), subject, spki, derExplicit(0))
  const algorithm = derSequence(objectIdentifier('1.2.840.10045.4.3.2'))
  const signed = derSequence(info, algorithm, bitString(sign('sha256', info, privateKey)))
  return {
    request: pem('CERTIFICATE REQUEST', signed),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

it('a signed request authenticates its user at every listener', async () => {
  const plane = createControlPlane()
  planes.push(plane)
  const { request: text, key } = newRequest()
  const cert = plane.signRequest(text, { usages: ['client auth'], validMs: 600_000 })
  for (const { url, caCert } of [await plane.listen(), await plane.listen()]) {
    const answer = await new Promise<string>((resolve, reject) => {
      const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })
      const sent = request(
        `${url}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
        { method: 'POST', ca: caCert, cert, key, headers: { 'content-type': 'application/json' }, agent: false },
        (response) => {
          let read = ''
          response.on('data', (chunk: Buffer) => (read += chunk.toString()))
          response.on('end', () => resolve(read))
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
    const { userInfo } = (JSON.parse(answer) as { status: { userInfo: { username: string; groups: string[] } } }).status
    expect(userInfo.username).toBe('alice')
    expect(userInfo.groups).toEqual(['dev', 'ops', 'system:authenticated'])
  }
})
