/** A conversion webhook over HTTPS that can be set to respond incorrectly, and an admission webhook. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '../../src/api/json.ts'
import { answer, type Mode } from '../../src/controlplane/conversion/testdata/boats.ts'
import { realEnv } from '../../src/env/real.ts'
import { memoryCertificates } from '../../src/webhooks/certificates.ts'

export interface ConversionServer {
  mode: Mode
  readonly clientConfig: JsonObject
  /** The requests of the reviews, in order. */
  readonly asked: JsonObject[]
  close(): void
}

/** A mutating webhook that handles boats in v1 only. */
function stamp(review: string): string {
  const { request } = JSON.parse(review) as {
    readonly request: { readonly uid: string; readonly object: { readonly spec: JsonObject } }
  }
  const { crew, note } = request.object.spec
  const patch = [{ op: 'add', path: '/spec/note', value: `${String(note)}, crew ${String(crew)}` }]
  const response = {
    uid: request.uid,
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
  }
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response })
}

export async function serveConversions(): Promise<ConversionServer> {
  const { ca, cert, key } = await memoryCertificates(realEnv(), ['127.0.0.1']).current()
  const asked: JsonObject[] = []
  const server = createServer({ cert, key }, (request, response) => {
    let text = ''
    request
      .setEncoding('utf8')
      .on('data', (chunk) => (text += String(chunk)))
      .on('end', () => {
        if (request.url?.startsWith('/stamp') === true)
          return void response.writeHead(200, { 'content-type': 'application/json' }).end(stamp(text))
        const review = JSON.parse(text) as { readonly request: Parameters<typeof answer>[1] }
        asked.push(review.request as unknown as JsonObject)
        switch (self.mode) {
          case 'status-500':
            return void response.writeHead(500, { 'content-type': 'text/plain' }).end('no')
          case 'status-404':
            return void response.writeHead(404).end()
          case 'no-json':
            return void response.writeHead(200, { 'content-type': 'application/json' }).end('oh')
          case 'hung-up':
            return void response.destroy()
          default:
            return void response
              .writeHead(200, { 'content-type': 'application/json' })
              .end(JSON.stringify(answer(self.mode, review.request)))
        }
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const self: ConversionServer = {
    mode: 'right',
    asked,
    clientConfig: {
      url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`,
      caBundle: Buffer.from(ca).toString('base64'),
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return self
}
