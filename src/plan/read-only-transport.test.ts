import { expect, it } from 'vitest'
import type { Transport } from '../client/transport.ts'
import { readOnlyTransport } from './read-only-transport.ts'

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

it.each<[method: string, path: string, isSent: boolean]>([
  ['GET', '/api/v1/pods', true],
  ['POST', reviews, true],
  ['POST', `${reviews}?fieldManager=x`, true],
  ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', true],
  ['PUT', reviews, false],
  ['POST', `${reviews}/../pods`, false],
  ['POST', '/api/v1/namespaces/default/configmaps', false],
  ['DELETE', '/api/v1/namespaces/default/configmaps/a', false],
])('%s %s is sent: %s', async (method, path, isSent) => {
  const sent: string[] = []
  const inner: Transport = {
    request: (request) => {
      sent.push(request.path)
      return Promise.resolve({ status: 200, headers: {}, body: null })
    },
    close: () => Promise.resolve(),
  }
  const answer = readOnlyTransport(inner).request({ method, path })
  if (isSent) await answer
  else await expect(answer).rejects.toThrow(`only reads are sent: ${method} ${path} was not`)
  expect(sent).toEqual(isSent ? [path] : [])
})
