/** The embedded server as an oracle of whether an apply changes anything: whether the resourceVersion changes. */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { createControlPlane } from '../../controlplane/index.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import { firstDifference } from '../apply-difference.ts'
import { fieldText } from '../field-owners.ts'

export const manager = 'us'

export interface Judgement {
  /** The result of the matcher before: the field that differs, or undefined. */
  readonly matcher: string | undefined
  /** Whether the server changed anything. */
  readonly changed: boolean
}

export interface ApplyOracle {
  /** Applies as `manager` with force, and compares the matcher's result with the effect. The object must exist. */
  judge(body: JsonObject): Promise<Judgement>
  apply(body: JsonObject, as?: string): Promise<JsonObject>
  /** A merge patch by another writer. */
  patch(body: JsonObject, patch: Json, as?: string): Promise<JsonObject>
  live(body: JsonObject): Promise<JsonObject>
  request(method: string, path: string, body: Json, type?: string): Promise<JsonObject>
}

/** The namespace of the objects. CRDs are created first. */
export async function applyOracle(
  definitions: readonly Json[] = [],
  plurals: Readonly<Record<string, string>> = {},
): Promise<ApplyOracle> {
  const env = simulatedEnv()
  const transport = createControlPlane({ env }).transport()
  const request: ApplyOracle['request'] = async (method, path, body, type = 'application/json') => {
    const answer = await transport({
      method,
      path,
      ...(method === 'GET' ? {} : { body }),
      headers: { 'content-type': type },
    })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body as JsonObject
  }
  for (const definition of definitions)
    await request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  await env.advanceAsync(10_000)
  const pathOf = ({ apiVersion, kind, metadata }: JsonObject): string => {
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion as string}`
    const plural = plurals[kind as string] ?? `${(kind as string).toLowerCase()}s`
    return `${root}/namespaces/default/${plural}/${(metadata as JsonObject)['name'] as string}`
  }
  const oracle: ApplyOracle = {
    request,
    async judge(body) {
      const before = await oracle.live(body)
      const path = firstDifference(body, before, manager)
      const after = await oracle.apply(body)
      return {
        matcher: path === undefined ? undefined : fieldText(path),
        changed: versionOf(before) !== versionOf(after),
      }
    },
    // The clock must advance: otherwise a write that only changes the time of an entry would go unnoticed.
    async apply(body, as = manager) {
      env.advance(2000)
      return request('PATCH', `${pathOf(body)}?fieldManager=${as}&force=true`, body, 'application/apply-patch+yaml')
    },
    async patch(body, patch, as = 'somebody') {
      env.advance(2000)
      return request('PATCH', `${pathOf(body)}?fieldManager=${as}`, patch, 'application/merge-patch+json')
    },
    live: (body) => request('GET', pathOf(body), null),
  }
  return oracle
}

function versionOf({ metadata }: JsonObject): Json | undefined {
  return isObject(metadata) ? metadata['resourceVersion'] : undefined
}
