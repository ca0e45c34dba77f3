/** The differential case `bounds beyond 2^53` compares accepted ones with a real server. */
import { expect, it } from 'vitest'
import { simulatedEnv } from '../../../env/simulated.ts'
import { createControlPlane } from '../../index.ts'

const large = '9223372036854775807'
const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All'
const definition = (properties: string, more = ''): string =>
  '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",' +
  `"metadata":{"name":"things.example.com"},"spec":{${more}"group":"example.com","scope":"Cluster",` +
  '"names":{"plural":"things","kind":"Thing"},"versions":[{' +
  '"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":' +
  `{"a":${properties}}}}}]}}`

it.each([
  ['a maximum', definition(`{"type":"integer","maximum":${large}}`), 201],
  ['a maximum of items', definition(`{"type":"array","items":{"type":"integer","maximum":${large}}}`), 201],
  ['a default', definition(`{"type":"integer","format":"int64","default":${large}}`), 400],
  ['an enum', definition(`{"type":"integer","enum":[${large}]}`), 400],
  ['a length', definition(`{"type":"string","maxLength":${large}}`), 400],
  [
    'a default that looks like a schema',
    definition(`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"default":{"maximum":${large}}}`),
    400,
  ],
  ['another field', definition('{"type":"integer"}', `"maximum":${large},`), 400],
])('an integer of a CRD beyond 2^53 is accepted only where it is a float: %s', async (_, body, status) => {
  const plane = createControlPlane({ env: simulatedEnv() })
  const response = await plane.transport()({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(response.status).toBe(status)
  if (status === 400)
    expect(JSON.stringify(response.body)).toContain(`the number ${large} cannot be kept exactly: it is beyond 2^53`)
  await plane.close()
})
