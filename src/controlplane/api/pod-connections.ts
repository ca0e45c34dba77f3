/**
 * Subresources that a real server forwards to a kubelet: log, exec, attach, portforward and proxy. There are no
 * kubelets here. Logs come from the log source of the simulated nodes. The others make the server's own checks first,
 * then fail with a message about the alternative.
 */
import { isObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError, apiError } from '../../api/status.ts'
import { liveVersion, notFound, resourceName, storageKey, type RegistryCall } from '../registry/call.ts'
import type { ApiResponse } from '../contract/request.ts'
import type { ResourceRequest } from '../registry/request-info.ts'
import { admitConnection } from './connect-options.ts'
import { containerName, instanceOf } from './pod-containers.ts'
import { podLog, type PodLogSource } from './pod-log.ts'
import { podLogOptions } from './pod-log-options.ts'

type ConnectResponse = (call: RegistryCall) => ApiResponse

export class PodConnections {
  /** Absent: no log can be read. */
  logs: PodLogSource | undefined

  /** The function that serves the request, if it is one of these. */
  find({ group, resource, subresource, rest }: ResourceRequest): ConnectResponse | undefined {
    if (group !== '' || subresource === '') return undefined
    if (resource === 'pods' && subresource === 'log') return (call) => this.#log(call)
    const reject = rejections[`${resource}/${subresource}`]
    if (reject === undefined) return undefined
    return (call) => {
      if (call.request.query.has('dryRun')) throw apiError.badRequest('dryRun is not supported')
      admitConnection(call, rest)
      return reject(call)
    }
  }

  #log(call: RegistryCall): ApiResponse {
    const {
      backend: { env, store },
      request,
      resource,
      namespace,
      name,
    } = call
    const now = env.now()
    const options = podLogOptions(request.query, name, now)
    const pod = found(call)
    const container = containerName(pod, options.container)
    const node = nodeOf(pod)
    if (node === '') return { type: 'text', status: 204, contentType: '', body: '' }
    checkNode(call, node)
    const instance = instanceOf(pod, container, options.previous)
    const { logs: source } = this
    const log = source?.({ pod, container, instance, now })
    if (source === undefined || log === undefined) {
      throw unavailable(
        `node ${JSON.stringify(node)} is not simulated, so container ${JSON.stringify(container)} has no log: ` +
          'start the server with --nodes N, and let its scheduler place the pod',
      )
    }
    return podLog({ env, store, key: storageKey(resource, namespace, name), source, container, instance, options }, log)
  }
}

const noProgram =
  'no program runs in a simulated container: see what it prints with "kubectl logs", and tell it what to do ' +
  'with annotations of the pod (coxswain.dev/…)'
const noPort =
  'nothing listens in a simulated container: to talk to the program, start it yourself, and let it reach the ' +
  'API server by its kubeconfig'

const rejections: Readonly<Record<string, ConnectResponse>> = {
  'pods/exec': (call) => rejectExec(call, true, noProgram),
  'pods/attach': (call) => rejectExec(call, true, noProgram),
  'pods/portforward': (call) => rejectExec(call, false, noPort),
  'pods/proxy': (call) => {
    const { podIP } = part(found(call), 'status')
    if (podIP === undefined) throw apiError.badRequest('address not allowed')
    throw unavailable(noPort)
  },
  'services/proxy': (call) => {
    found(call)
    throw unavailable(noPort)
  },
  'nodes/proxy': (call) => {
    found(call)
    throw unavailable('a simulated node has no kubelet to connect to: its state is in its Node object')
  },
}

const containerConnections = new Set(['exec', 'attach', 'portforward'])

export function isContainerConnection({ group, resource, subresource }: ResourceRequest): boolean {
  return subresource !== '' && containerConnections.has(subresource) && resource === 'pods' && group === ''
}

function rejectExec(call: RegistryCall, toContainer: boolean, why: string): never {
  call.authorizeCreate?.()
  const pod = found(call)
  if (toContainer) containerName(pod, call.request.query.get('container') ?? '')
  const node = nodeOf(pod)
  if (node === '') throw apiError.badRequest(`pod ${call.name} does not have a host assigned`)
  checkNode(call, node)
  throw unavailable(why)
}

function found(call: RegistryCall): KubeObject {
  const stored = liveVersion(call)
  if (stored === undefined) throw notFound(call)
  return stored.object
}

function nodeOf(pod: KubeObject): string {
  const { nodeName } = part(pod, 'spec')
  return typeof nodeName === 'string' ? nodeName : ''
}

/** Upstream reports a missing node as a missing pod. */
function checkNode({ backend, resource }: RegistryCall, node: string): void {
  const nodes = backend.catalog.findAnyVersion('', 'nodes')
  if (nodes === undefined || backend.store.get(storageKey(nodes, '', node)) === undefined)
    throw apiError.notFound(resourceName(resource), node)
}

function part(of: KubeObject, name: string): JsonObject {
  const value = of[name]
  return isObject(value) ? value : {}
}

function unavailable(message: string): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'NotImplemented',
    code: 501,
  })
}
