/** The nodes of a reference cluster: objects that kwok keeps Ready. */
import { StartFailed } from './errors.ts'
import { fakeNode, nodeAddress } from './commands.ts'
import { request } from './request.ts'
import type { Access } from './request.ts'

/** Limited by the range of addresses. */
export const mostNodes = 250

export const nodeName = (index: number): string => `node-${index}`

function nodeObject(index: number): unknown {
  const name = nodeName(index)
  const resources = { cpu: '32', memory: '256Gi', 'ephemeral-storage': '100Gi', pods: '110' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { ...fakeNode, 'node.alpha.kubernetes.io/ttl': '0' },
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        type: 'kwok',
      },
    },
    status: {
      addresses: [
        { type: 'InternalIP', address: nodeAddress(index) },
        { type: 'Hostname', address: name },
      ],
      allocatable: resources,
      capacity: resources,
    },
  }
}

export async function createNodes(access: Access, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { status, body } = await request(access, 'POST', '/api/v1/nodes', nodeObject(i))
    if (status !== 201) throw new StartFailed(`${nodeName(i)} cannot be created: ${JSON.stringify(body)}`)
  }
}

interface NodeList {
  readonly items: readonly { readonly status: { readonly conditions?: readonly { type: string; status: string }[] } }[]
}

/** Whether all `count` nodes are Ready. */
export async function nodesReady(access: Access, count: number): Promise<boolean> {
  const { status, body } = await request(access, 'GET', '/api/v1/nodes')
  if (status !== 200) return false
  const ready = (body as NodeList).items.filter(({ status: { conditions = [] } }) => {
    return conditions.some((each) => each.type === 'Ready' && each.status === 'True')
  })
  return ready.length >= count
}
