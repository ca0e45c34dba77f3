/**
 * A case: a named sequence of requests that are sent to a real kube-apiserver and to ours. Cases are tables; `steps.ts`
 * has the functions to write steps, `record.ts` runs them.
 *
 * Every case has its own namespace, created before its first step. The names of other objects (cluster-scoped objects,
 * CRD groups) contain the namespace, so that cases do not affect each other. In paths, headers and bodies, `{{ns}}`
 * stands for the namespace, `{{id}}` for four hexadecimal digits of the case, `{{2.metadata.uid}}` for a value and
 * `{{2@etag}}` for a header of the response to the third step.
 */
import type { Json, JsonObject } from '../../src/api/json.ts'

export interface Topic {
  /** The name of the file of recorded answers: `apply`, `watch`. */
  readonly name: string
  readonly cases: readonly Case[]
  /** Recorded before all others, on a fresh server. */
  readonly alone?: boolean
  /** Versions that both servers serve for this topic, and not by default. */
  readonly runtimeConfig?: readonly string[]
}

export interface Case {
  /** Unique in its topic; describes what the case shows. */
  readonly name: string
  readonly steps: readonly Step[]
}

export interface Step {
  readonly method: string
  /** Including the query. */
  readonly path: string
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: Json
  readonly headers?: Readonly<Record<string, string>>
  /** Default `admintoken`; `alicetoken` is a user without rights. */
  readonly token?: string
  /** For a watch: the number of events after which the client disconnects; undefined: the server ends it. */
  readonly watch?: { readonly events: number | undefined }
  /**
   * What the recorder waits for after this step, since a real server works asynchronously: `established`: a new CRD is
   * served; `informed`: caches have seen the write (RBAC, quotas, changes of a CRD); `enforced`: an admission policy is
   * in effect.
   */
  readonly settle?: 'established' | 'informed' | 'enforced'
  /** Prepares later steps: sent, but not compared. */
  readonly setup?: boolean
  /** Releases resources that other cases need. Sent even if a panic of the real server has ended the case. */
  readonly givesBack?: boolean
}

/** The namespace of a case, derived from its name, so that new cases do not change it. */
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

/** The values for `{{…}}` in a case: its namespace, and the responses so far. */
export interface Known {
  readonly namespace: string
  readonly answers: readonly Answered[]
}

export interface Answered {
  readonly body: Json
  readonly headers: Readonly<Record<string, Json>>
}

/** A response from a line of a fixture file. */
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
      // A failed step has no such value; both servers then get the same placeholder.
      return value === undefined || typeof value === 'object' ? `absent-${step}` : String(value)
    },
  )
}
