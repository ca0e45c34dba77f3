/**
 * The mapping of recorded values to live ones that a replay has learned from responses. It translates requests.
 *
 * uids, generated names, hashes and addresses map one to one. So do the resourceVersions of objects, which checks that
 * a no-op update keeps the resourceVersion and any other write changes it. The resourceVersion of a list must only be
 * between those of the writes before and after it, because a server may write its own objects at any time.
 */
import { isObject, setOwn } from '../../src/api/json.ts'
import type { Json, JsonObject } from '../../src/api/json.ts'
import type { GoldenRequest } from './golden.ts'
import type { LiveRequest } from './target.ts'

export const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

export function isUuid(text: string): boolean {
  return text.length === 36 && text.search(uuidPattern) === 0
}

export class Learned {
  /** uids, generated names, hashes and addresses, from recorded to live. */
  #words = new Map<string, string>()
  /** Those that are not uids and so have no pattern. The longest first: one may be part of another. */
  #names: readonly string[] = []
  #wordsBack = new Map<string, string>()
  #revisions = new Map<number, number>()
  #revisionsBack = new Map<number, number>()
  #snapshots = new Map<number, number>()

  /** Saves the current state; calling the result restores it. */
  checkpoint(): () => void {
    const words = new Map(this.#words)
    const wordsBack = new Map(this.#wordsBack)
    const revisions = new Map(this.#revisions)
    const revisionsBack = new Map(this.#revisionsBack)
    const snapshots = new Map(this.#snapshots)
    return () => {
      this.#words = words
      this.#wordsBack = wordsBack
      this.#revisions = revisions
      this.#revisionsBack = revisionsBack
      this.#snapshots = snapshots
    }
  }

  /**
   * Learns that `live` stands for `recorded`. False if either was mapped to another value. `sure`: both belong to the
   * same object; a new mapping then replaces the old one, so that a difference is reported only once.
   */
  word(recorded: string, live: string, sure = false): boolean {
    if (!isUuid(recorded) && !this.#names.includes(recorded))
      this.#names = [...this.#names, recorded].toSorted((a, b) => b.length - a.length)
    return learn(this.#words, this.#wordsBack, recorded, live, sure)
  }

  /** The same for the resourceVersion of an object. */
  revision(recorded: number, live: number, sure = false): boolean {
    return learn(this.#revisions, this.#revisionsBack, recorded, live, sure)
  }

  /** For the resourceVersion of a list or bookmark: false if it is not between those of the neighbouring writes. */
  snapshot(recorded: number, live: number): boolean {
    this.#snapshots.set(recorded, live)
    for (const [theirs, ours] of this.#revisions) {
      if (theirs <= recorded ? ours > live : ours <= live) return false
    }
    return true
  }

  /** The live revision for a recorded one in a request. A revision outside of all responses is kept. */
  liveRevision(recorded: number, kind: 'object' | 'snapshot'): number {
    const [first, second] = kind === 'object' ? [this.#revisions, this.#snapshots] : [this.#snapshots, this.#revisions]
    const known = first.get(recorded) ?? second.get(recorded)
    if (known !== undefined) return known
    let below: [number, number] | undefined
    let above = false
    for (const entry of this.#revisions) {
      if (entry[0] > recorded) above = true
      else if (below === undefined || entry[0] > below[0]) below = entry
    }
    return below === undefined || !above ? recorded : below[1]
  }

  /** Translates all known values in a recorded text. */
  text(recorded: string): string {
    let text = recorded.length < 36 ? recorded : recorded.replace(uuidPattern, (uid) => this.#words.get(uid) ?? uid)
    for (const name of this.#names) {
      if (text.includes(name)) text = text.replaceAll(name, this.#words.get(name) ?? name)
    }
    return text
  }

  request(recorded: GoldenRequest): LiveRequest {
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(recorded.headers)) headers[name] = this.text(value)
    return { ...recorded, path: this.#path(recorded.path), headers, body: this.#body(recorded.body) }
  }

  #path(path: string): string {
    return this.text(path)
      .replace(/([?&]resourceVersion=)(\d{1,15})(?!\d)/, (_, key: string, value: string) => {
        return `${key}${this.liveRevision(Number(value), 'snapshot')}`
      })
      .replace(/([?&]continue=)([\w-]+)/, (_, key: string, value: string) => `${key}${this.#token(value)}`)
  }

  #token(recorded: string): string {
    const token = parseContinue(recorded)
    if (token === undefined) return recorded
    const rv = this.liveRevision(token.rv, 'snapshot')
    return Buffer.from(JSON.stringify({ ...token, rv, start: this.text(token.start) })).toString('base64url')
  }

  /** Elsewhere, such as in a reference, a resourceVersion is chosen by the client. */
  #body(value: Json | undefined, parent = ''): Json | undefined {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map((item) => this.#body(item, parent) as Json)
    if (!isObject(value)) return value
    const copy: JsonObject = {}
    for (const [key, child] of Object.entries(value)) {
      const digits =
        key === 'resourceVersion' &&
        (parent === 'metadata' || parent === 'preconditions') &&
        typeof child === 'string' &&
        /^\d{1,15}$/.test(child)
      setOwn(copy, key, digits ? String(this.liveRevision(Number(child), 'object')) : (this.#body(child, key) as Json))
    }
    return copy
  }
}

function learn<T>(there: Map<T, T>, back: Map<T, T>, recorded: T, live: T, sure: boolean): boolean {
  const known = there.get(recorded)
  if (known === live) return true
  const consistent = known === undefined && !back.has(live)
  if (consistent || sure) {
    there.set(recorded, live)
    back.set(live, recorded)
  }
  return consistent
}

export interface ContinueToken {
  readonly v: string
  readonly rv: number
  readonly start: string
}

export function parseContinue(text: string): ContinueToken | undefined {
  try {
    const value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Json
    return isObject(value) && typeof value['rv'] === 'number' && typeof value['start'] === 'string'
      ? (value as unknown as ContinueToken)
      : undefined
  } catch {
    return undefined
  }
}
