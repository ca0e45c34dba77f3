/**
 * Compares texts with values that a server chooses: uids, times, revisions, addresses, hashes. Whole values and values
 * inside messages are compared alike, so that a message must quote the right uid.
 */
import { uuidPattern } from './learned.ts'
import type { Learned } from './learned.ts'
import { outlineOf, parseWebToken } from './web-token.ts'

export interface TextContext {
  readonly learned: Learned
  /** The path and the body of the request as text: values in it are chosen by the client. */
  readonly asked: string
  /** Times between these were set by the recording server. */
  readonly from: number
  readonly to: number
}

interface TokenClass {
  /** The pattern that finds it in a recorded text. */
  readonly recorded: string
  /** The pattern of the live value. */
  live(recorded: string): string
  /** Whether the live value may replace the recorded one. */
  accept(recorded: string, live: string, context: TextContext): boolean
}

const time = String.raw`\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z|\b)`

function learnWord(recorded: string, live: string, { learned, asked }: TextContext): boolean {
  if (recorded === live && asked.includes(recorded)) return true
  return learned.word(recorded, live)
}

/** The characters of hashes and generated names. */
const safe = '[bcdfghjklmnpqrstvwxz2456789]'

const classes: readonly TokenClass[] = [
  {
    // The token of a service account.
    recorded: String.raw`\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]{40,}`,
    live: () => String.raw`eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{40,}`,
    accept(recorded, live, context) {
      const theirs = parseWebToken(recorded)
      const ours = parseWebToken(live)
      if (theirs === undefined || ours === undefined) return recorded === live
      return learnWord(recorded, live, context) && sameText(outlineOf(theirs), outlineOf(ours), context)
    },
  },
  {
    recorded: uuidPattern.source,
    live: () => uuidPattern.source,
    accept: learnWord,
  },
  {
    // Dates, seconds or microseconds: the precision is part of the format.
    recorded: time,
    live: (recorded) => recorded.replaceAll(/\d/g, String.raw`\d`).replace('.', String.raw`\.`),
    accept(recorded, live, { from, to }) {
      const start = Date.parse(recorded)
      const end = recorded.includes('T') ? start : start + 86_400_000
      return end >= from && start <= to ? !Number.isNaN(Date.parse(live)) : live === recorded
    },
  },
  {
    // Upstream names some components by their position in its source, as far as the build knows it.
    recorded: String.raw`(?<=in scheme \\*")[\w/.@-]+\.go:\d+`,
    live: () => String.raw`[\w/.@-]+\.go:\d+`,
    accept: () => true,
  },
  {
    // An object quoted in a message.
    recorded: [
      String.raw`(?<=resourceVersion\\*":\\*")\d+`,
      String.raw`(?<=in record \()\d+(?=\))`,
      String.raw`(?<=ResourceVersion in object meta: )\d+`,
    ].join('|'),
    live: () => String.raw`\d+`,
    accept: (recorded, live, { learned }) => learned.revision(Number(recorded), Number(live)),
  },
  {
    // Values of the request.
    recorded: String.raw`(?<=in the precondition \()\d+(?=\))|(?<=ResourceVersion in precondition: )\d+`,
    live: () => String.raw`\d+`,
    accept: (recorded, live, { learned }) => learned.liveRevision(Number(recorded), 'object') === Number(live),
  },
  {
    recorded: String.raw`(?<=, current: )\d+`,
    live: () => String.raw`\d+`,
    accept: (recorded, live, { learned }) => learned.snapshot(Number(recorded), Number(live)),
  },
  {
    // A template hash in the name of a ReplicaSet in a message.
    recorded: String.raw`(?<=[Rr]eplica ?[Ss]et \\*"[a-z0-9.-]+-)${safe}{6,10}(?=\\*")`,
    live: () => `${safe}{6,10}`,
    accept: learnWord,
  },
  {
    // The generated name of a pod that was rejected. The next attempt has another one.
    recorded: String.raw`(?<=pods \\*"[a-z0-9.-]+-)${safe}{5}(?=\\*" is forbidden)`,
    live: () => `${safe}{5}`,
    accept: () => true,
  },
  {
    // The service range of the recording server, and the node ports.
    recorded: String.raw`\b10\.0\.0\.\d{1,3}\b`,
    live: () => String.raw`10\.0\.0\.\d{1,3}`,
    accept: learnWord,
  },
  {
    recorded: String.raw`(?<=:)3[0-2]\d{3}(?=/)|(?<=Duplicate value: )3[0-2]\d{3}\b`,
    live: () => String.raw`3[0-2]\d{3}`,
    accept: learnWord,
  },
  {
    // The source position where upstream creates a scheme, which depends on the build.
    recorded: String.raw`(?<=in scheme \\*")pkg/[\w/]+\.go:\d+`,
    live: () => String.raw`pkg/[\w/]+\.go:\d+`,
    accept: () => true,
  },
  {
    // SHA-512 of a document, as ETag or in an OpenAPI URL.
    recorded: String.raw`\b[0-9A-F]{128}\b`,
    live: () => String.raw`[0-9A-Za-z_-]{16,128}`,
    accept: learnWord,
  },
  {
    // The name of a generated Event ends with its time in hexadecimal nanoseconds.
    recorded: String.raw`(?<=[a-z0-9]\.)1[0-9a-f]{15}\b`,
    live: () => String.raw`[0-9a-f]{16}`,
    accept: learnWord,
  },
]

const anyToken = new RegExp(classes.map(({ recorded }) => `(${recorded})`).join('|'), 'g')

/** A server-chosen value in a recorded text. */
interface Token {
  readonly value: string
  readonly index: number
  readonly kind: TokenClass
}

/** The length of `:30000/`, the shortest text with one. */
const shortestText = 7
const noTokens: readonly Token[] = []

/** Memo for short texts: most occur repeatedly, and matching all classes is slow. */
const recentTokens = new Map<string, readonly Token[]>()
const mostRecent = 20_000
const longestKept = 100

function tokensOf(recorded: string): readonly Token[] {
  // Every server-chosen value contains a digit or is a JSON web token.
  if (recorded.length < shortestText || (!/\d/.test(recorded) && !recorded.includes('eyJ'))) return noTokens
  let tokens = recentTokens.get(recorded)
  if (tokens !== undefined) return tokens
  tokens = [...recorded.matchAll(anyToken)].flatMap((match) => {
    const kind = classes[match.slice(1).findIndex((group) => group !== undefined)]
    return kind === undefined ? [] : [{ value: match[0], index: match.index, kind }]
  })
  if (recorded.length > longestKept) return tokens
  if (recentTokens.size === mostRecent) recentTokens.clear()
  recentTokens.set(recorded, tokens)
  return tokens
}

/** Whether `live` equals `recorded` after translation. Extends `context.learned`. */
export function sameText(recorded: string, live: string, context: TextContext): boolean {
  const tokens = tokensOf(recorded)
  if (tokens.length === 0) return context.learned.text(recorded) === live
  let pattern = ''
  let end = 0
  for (const { value, index, kind } of tokens) {
    pattern += escape(context.learned.text(recorded.slice(end, index)))
    pattern += `(${kind.live(value)})`
    end = index + value.length
  }
  const tail = context.learned.text(recorded.slice(end))
  const found = new RegExp(`^${pattern}${escape(tail)}$`).exec(live)
  if (found === null) return false
  // Checks all tokens, even after a difference: each may extend the mapping for later responses.
  return tokens.map(({ value, kind }, i) => kind.accept(value, found[i + 1] ?? '', context)).every(Boolean)
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
