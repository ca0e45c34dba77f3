/** The embedded server with a simulated clock, and a client that records requests and can fail. */
import type { ApiObject } from '../../api/live-object.ts'
import { inProcessTransport } from '../../client/in-process-transport.ts'
import { RestClient } from '../../client/rest-client.ts'
import type { Transport, TransportRequest } from '../../client/transport.ts'
import { createControlPlane, MemoryStore } from '../../controlplane/index.ts'
import type { MemoryStoreOptions } from '../../controlplane/storage/memory-store.ts'
import { simulatedEnv, type SimulatedEnv } from '../../env/simulated.ts'
import type { Kind } from '../../schema/kind.ts'
import { FaultyTransport } from './faulty-transport.ts'

export interface ConfigMap extends ApiObject {
  data?: Record<string, string>
}

export const ConfigMap: Kind<ConfigMap> = {
  group: '',
  version: 'v1',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
}
export const Namespace: Kind = {
  group: '',
  version: 'v1',
  apiVersion: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
}

export interface Asked {
  readonly at: number
  /** `check`: a list of metadata, after a broken connection. */
  readonly verb: 'list' | 'check' | 'watch' | 'watch-list' | 'other'
  readonly query: URLSearchParams
  readonly path: string
}

interface TestPlaneOptions {
  readonly seed?: number
  readonly env?: SimulatedEnv
  /** The contents of another plane: a backup. */
  readonly from?: MemoryStoreOptions['from']
}

export function testPlane({ seed = 1, env = simulatedEnv({ seed, start: 0 }), from }: TestPlaneOptions = {}) {
  const store = new MemoryStore({ env, from })
  const plane = createControlPlane({ env, store })
  const inner = inProcessTransport(plane.transport())
  const asked: Asked[] = []
  const network = new FaultyTransport(inner)
  const transport: Transport = {
    request(request) {
      asked.push(askedOf(request, env.now()))
      return network.request(request)
    },
    close: () => network.close(),
  }
  const client = new RestClient({ env, transport, fieldManager: 'test' })
  /** Another process: its requests are neither recorded nor failed. */
  const other = new RestClient({ env, transport: inner, fieldManager: 'other' })
  return {
    env,
    store,
    plane,
    client,
    other,
    asked,
    network,
    count: (verb: Asked['verb']) => asked.filter((each) => each.verb === verb).length,
    close: () => plane.close(),
  }
}

function askedOf({ method, path: whole, headers }: TransportRequest, at: number): Asked {
  const [path = '', text = ''] = whole.split('?')
  const query = new URLSearchParams(text)
  const isCheck = String(headers?.['accept']).includes('PartialObjectMetadataList')
  return { at, verb: isCheck ? 'check' : verbOf(method, query), query, path }
}

function verbOf(method: string, query: URLSearchParams): Asked['verb'] {
  if (method !== 'GET') return 'other'
  if (query.get('sendInitialEvents') === 'true') return 'watch-list'
  if (query.get('watch') === 'true') return 'watch'
  return query.has('limit') ? 'list' : 'other'
}

export function configMap(
  name: string,
  data: Record<string, string> = {},
  { namespace = 'default', labels }: { namespace?: string; labels?: Record<string, string> } = {},
): ConfigMap {
  return { metadata: { name, namespace, ...(labels && { labels }) }, data }
}
