/** A control plane for the tests of this folder, with short request functions. */
import type { Json, JsonObject } from '../../../api/json.ts'
import { simulatedEnv } from '../../../env/simulated.ts'
import { createControlPlane, type PluginChoice } from '../../index.ts'

export interface Answer {
  readonly status: number
  readonly body: JsonObject
  readonly warnings: readonly string[]
  /** The message of a Status, otherwise ''. */
  readonly message: string
}

export interface TestPlane {
  post(path: string, body: JsonObject): Promise<Answer>
  put(path: string, body: JsonObject): Promise<Answer>
  patch(path: string, body: JsonObject): Promise<Answer>
  get(path: string): Promise<Answer>
  remove(path: string): Promise<Answer>
  /** Creates a pod in `default`, with one container unless the spec sets others. */
  pod(name: string, spec?: JsonObject, metadata?: JsonObject): Promise<Answer>
  /** Advances the clock. */
  advance(ms: number): Promise<void>
}

export function testPlane(admission: PluginChoice = {}): TestPlane {
  const env = simulatedEnv({ seed: 1 })
  const plane = createControlPlane({ env, admission })
  const api = plane.transport()
  const ask = async (method: string, path: string, body?: Json, type = 'application/json'): Promise<Answer> => {
    const response = await api({
      method,
      path,
      headers: { 'content-type': type },
      ...(body === undefined ? {} : { body }),
    })
    const answer = response.body as unknown as JsonObject
    const warning = response.headers['warning'] ?? []
    return {
      status: response.status,
      body: answer,
      warnings: (typeof warning === 'string' ? [warning] : warning).map(
        (text) => JSON.parse(text.slice('299 - '.length)) as string,
      ),
      message: String(answer['message'] ?? ''),
    }
  }
  const post = (path: string, body: JsonObject) => ask('POST', path, body)
  return {
    post,
    put: (path, body) => ask('PUT', path, body),
    patch: (path, body) => ask('PATCH', path, body, 'application/merge-patch+json'),
    get: (path) => ask('GET', path),
    remove: (path) => ask('DELETE', path),
    pod: (name, spec = {}, metadata = {}) =>
      post('/api/v1/namespaces/default/pods', {
        metadata: { name, ...metadata },
        spec: { containers: [{ name: 'c', image: 'i:1' }], ...spec },
      }),
    advance: (ms) => env.advanceAsync(ms),
  }
}
