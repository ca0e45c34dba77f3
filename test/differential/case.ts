/**
 * A case: a named sequence of requests that are sent to a real kube-apiserver and to ours. Cases are tables; how a step
 * is written is in `steps.ts`, how it is run in `record.ts`.
 *
 * Every case has a namespace of its own, made before its first step. Anything outside of it (cluster-wide objects, CRD
 * groups) carries the namespace in its name, so that cases do not meet. In paths, headers and bodies, `{{ns}}` stands
 * for the namespace, `{{id}}` for four hexadecimal digits of its own, `{{2.metadata.uid}}` for a value and `{{2@etag}}`
 * for a header of the answer to the third step.
 */
import type { Json, JsonObject } from '../../src/api/json.ts'

export interface Topic {
  /** Names the file of recorded answers: `apply`, `watch`. */
  readonly name: string
  readonly cases: readonly Case[]
  /** Recorded before all others, on a server that has seen nothing else. */
  readonly alone?: boolean
}

export interface Case {
  /** Unique in its topic; says what is to be seen. */
  readonly name: string
  readonly steps: readonly Step[]
}

export interface Step {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: Json
  readonly headers?: Readonly<Record<string, string>>
  /** Default `admintoken`; `alicetoken` is a user without rights. */
  readonly token?: string
  /** For a watch: the events after which the client hangs up; undefined: the server ends it. */
  readonly watch?: { readonly events: number | undefined }
  /**
   * What a real server takes its time for, and what the recorder waits for after this step: `established`, that a new
   * CRD is served; `informed`, that caches have seen the write (RBAC, quotas, changes of a CRD).
   */
  readonly settle?: 'established' | 'informed'
  /** Only prepares what follows: sent, but not compared. */
  readonly setup?: boolean
  /** Gives back what other cases need: sent, too, when a panic of the real server has ended the case. */
  readonly givesBack?: boolean
}

/** The namespace of a case, from its name: it stays the same when cases are added. */
export function namespaceOf(topic: Topic, each: Case): string {
  const slug = `${topic.name} ${each.name}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return slug.length <= 40
    ? slug.replace(/-$/, '')
    : `${slug.slice(0, 32).replace(/-$/, '')}-${hash(slug).toString(36).padStart(7, '0')}`
}

function hash(text: string): number {
  let sum = 2_166_136_261
  for (const char of text) sum = Math.imul(sum ^ (char.codePointAt(0) ?? 0), 16_777_619) >>> 0
  return sum
}

/** What stands for `{{…}}` in a case: its namespace, and the answers so far. */
export interface Known {
  readonly namespace: string
  readonly answers: readonly Answered[]
}

export interface Answered {
  readonly body: Json
  readonly headers: Readonly<Record<string, Json>>
}

/** An answer as a line of a fixture file holds it. */
export function answeredOf(record: JsonObject): Answered {
  return { body: record['res'] ?? record['events'] ?? null, headers: record['resHeaders'] as Record<string, Json> }
}

export function fill<T extends Json>(value: T, known: Known): T
export function fill(value: Json, known: Known): Json {
  if (typeof value === 'string') return value.includes('{{') ? fillText(value, known) : value
  if (Array.isArray(value)) return value.map((item) => fill(item, known))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [fill(key, known), fill(child, known)]))
}

function fillText(text: string, { namespace, answers }: Known): string {
  const references = /\{\{(?:(ns|id)|(\d+)(?:\.([^}]+)|@([\w-]+)))\}\}/g
  return text.replaceAll(
    references,
    (_, name: string | undefined, step: string, path: string | undefined, header: string) => {
      if (name !== undefined) return name === 'ns' ? namespace : ((hash(namespace) % 0xfff0) + 0x10).toString(16)
      const answer = answers[Number(step)]
      let value: Json | undefined = path === undefined ? answer?.headers[header] : answer?.body
      for (const key of path?.split('.') ?? []) {
        value = typeof value === 'object' && value !== null ? (value as JsonObject)[key] : undefined
      }
      // A step that failed has no such value; both servers then get the same nonsense.
      return value === undefined || typeof value === 'object' ? `absent-${step}` : String(value)
    },
  )
}
