/** Static bearer tokens: the administrator's, and those of a kube-apiserver token file. */
import { timingSafeEqual } from 'node:crypto'
import type { UserInfo } from '../contract/resource.ts'
import { loggedIn } from './user-names.ts'

export interface Token {
  readonly token: string
  readonly user: UserInfo
}

/** One token can be written in many ways (`Bearer`, `bearer`), so the cache is bounded. */
const maxCachedTokens = 1000

export class StaticTokens {
  readonly #tokens: readonly { bytes: Buffer; user: UserInfo }[]
  readonly #known = new Map<string, UserInfo>()

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens.map(({ token, user }) => ({
      bytes: Buffer.from(token),
      user: { ...user, groups: loggedIn(user.groups) },
    }))
  }

  /** The user of an `Authorization` header. Undefined if its token is not a static one. */
  findHeader(authorization: string): UserInfo | undefined {
    const known = this.#known.get(authorization)
    if (known !== undefined) return known
    const token = bearerToken(authorization)
    const user = token === undefined ? undefined : this.find(token)
    if (user !== undefined && this.#known.size < maxCachedTokens) this.#known.set(authorization, user)
    return user
  }

  /** Compares with all tokens, in constant time for each. */
  find(token: string): UserInfo | undefined {
    const given = Buffer.from(token)
    let found: UserInfo | undefined
    for (const { bytes, user } of this.#tokens) {
      if (bytes.length === given.length && timingSafeEqual(bytes, given)) found = user
    }
    return found
  }
}

/** The second word, if the first is `Bearer` in any case. Undefined otherwise. */
export function bearerToken(authorization: string): string | undefined {
  const [scheme = '', token = ''] = authorization.trim().split(' ', 3)
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}

/** The warning for a token that is ignored because of an extra space. Undefined otherwise. */
export function ignoredTokenWarning(authorization: string): string | undefined {
  const [scheme = '', token, rest] = authorization.trim().split(' ', 3)
  if (scheme.toLowerCase() !== 'bearer' || token !== '' || rest === undefined) return undefined
  return 'the provided Authorization header contains extra space before the bearer token, and is ignored'
}

/**
 * Parses kube-apiserver's token file: `token,user,uid,"group,group"` on each line, groups optional. Throws an Error
 * that names the line.
 */
export function parseTokenFile(text: string): Token[] {
  const tokens: Token[] = []
  const seen = new Set<string>()
  text.split(/\r?\n/).forEach((line, i) => {
    if (line.trim() === '' || line.startsWith('#')) return
    const fields = csvFields(line)
    const [token = '', name = '', uid = '', groups = ''] = fields
    if (fields.length < 3)
      throw new Error(
        `token file, line ${i + 1}: expected token,user,uid[,"group,group"], got ${fields.length} column(s)`,
      )
    if (token === '') throw new Error(`token file, line ${i + 1}: the token is empty`)
    if (seen.has(token)) throw new Error(`token file, line ${i + 1}: the token is a duplicate of an earlier line`)
    seen.add(token)
    tokens.push({
      token,
      user: {
        name,
        uid,
        groups: groups
          .split(',')
          .map((g) => g.trim())
          .filter((g) => g !== ''),
      },
    })
  })
  return tokens
}

/** The columns of one CSV line. Quoted columns may contain commas, and a quote if doubled. */
function csvFields(line: string): string[] {
  const fields: string[] = []
  let field = ''
  let quoted = false
  for (let i = 0; i < line.length; i++) {
    const char = line[i]
    if (quoted) {
      if (char !== '"') field += char
      else if (line[i + 1] === '"') field += line[++i]
      else quoted = false
    } else if (char === '"') {
      quoted = true
    } else if (char === ',') {
      fields.push(field.trim())
      field = ''
    } else {
      field += char
    }
  }
  if (quoted) throw new Error(`token file: a quote is not closed in ${JSON.stringify(line.slice(0, 8))}…`)
  fields.push(field.trim())
  return fields
}
