/** Bootstrap objects must look as if they had been created through the registry. */
import { afterEach, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { systemUser } from './auth/user-names.ts'
import { createControlPlane, type ControlPlane } from './control-plane.ts'

const tracking = 'kube-apiserver-legacy-service-account-token-tracking'
const configMaps = '/api/v1/namespaces/kube-system/configmaps'
const namespaces = '/api/v1/namespaces'

let plane: ControlPlane | undefined

afterEach(() => plane?.close())

it.each([
  [namespaces, 'kube-system', {}],
  [namespaces, 'kube-public', {}],
  [namespaces, 'kube-node-lease', {}],
  [namespaces, 'default', {}],
  [configMaps, tracking, { data: { since: '2026-01-01' } }],
])('%s/%s', async (path, name, fields) => {
  plane = createControlPlane({ env: simulatedEnv() })
  const send = plane.transport(systemUser)
  const made = await send({ method: 'GET', path: `${path}/${name}` })
  const body = { metadata: { name: 'other' }, ...fields }
  const other = await send({ method: 'POST', path, headers: { 'user-agent': 'kube-apiserver' }, body })
  expect([made.status, other.status]).toEqual([200, 201])
  // Compares the order of fields as well.
  expect(comparable(made.body, name)).toBe(comparable(other.body, 'other'))
})

function comparable(object: unknown, name: string): string {
  return JSON.stringify(object)
    .replaceAll(`"${name}"`, '"name"')
    .replace(/"uid":"[^"]+","resourceVersion":"\d+"/, '')
}
