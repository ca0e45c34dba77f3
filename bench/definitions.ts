/** Installs many CustomResourceDefinitions at once, as a few large operators do in a cluster. */
import { call, definitions } from './api.ts'
import type { Target } from './connection.ts'
import { definition, widgetSpec } from './manifests.ts'
import { load } from './load.ts'
import { requestBytes } from './template.ts'

export const definitionCount = 500

const groups = 25

const group = (i: number): string => `group${i % groups}.bench.coxswain.dev`

const one = (i: number): string =>
  JSON.stringify(definition({ group: group(i), kind: `Thing${i}`, plural: `things${i}`, spec: widgetSpec }))

/**
 * Milliseconds until all are established. Reads discovery and OpenAPI afterwards, so that a later memory figure
 * includes them.
 */
export async function installDefinitions(target: Target): Promise<number> {
  const requests = Array.from({ length: definitionCount }, (_, i) =>
    requestBytes(target, { method: 'POST', path: definitions, body: one(i) }),
  )
  const started = performance.now()
  let next = 0
  await load(target, () => requests[next++], { clients: 16, seconds: 600, warmup: 0 })
  while (!(await areEstablished(target))) await new Promise((resolve) => setTimeout(resolve, 20))
  const took = performance.now() - started
  for (const path of ['/apis', '/openapi/v2', '/openapi/v3', `/openapi/v3/apis/${group(0)}/v1`])
    await answered(target, path)
  return took
}

interface Condition {
  readonly type: string
  readonly status: string
}

async function areEstablished(target: Target): Promise<boolean> {
  const { items } = JSON.parse(await answered(target, definitions)) as {
    items: { status: { conditions?: Condition[] } }[]
  }
  const established = items.filter(({ status }) =>
    status.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True'),
  )
  return established.length >= definitionCount
}

async function answered(target: Target, path: string): Promise<string> {
  const { status, text } = await call(target, { method: 'GET', path })
  if (status !== 200) throw new Error(`${target.name}: GET ${path} answered ${status}: ${text}`)
  return text
}
