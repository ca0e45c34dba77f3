/** Authentication by bearer token: the administrator's, and those of a kube-apiserver token file. */
import { timingSafeEqual } from 'node:crypto'
import { apiError } from '../../api/status.ts'
import type { UserInfo } from '../registry/resource.ts'

export interface Token {
  readonly token: string
  readonly user: UserInfo
}

export const anonymous: UserInfo = { name: 'system:anonymous', uid: '', groups: ['system:unauthenticated'] }

/** Members of this group may do everything, whatever the authorization mode. */
export const mastersGroup = 'system:masters'

/** One token can be written in many ways (`Bearer`, `bearer`, more spaces); few are worth remembering. */
const knownLimit = 1000

export class TokenAuthenticator {
  readonly #tokens: readonly { bytes: Buffer; user: UserInfo }[]
  readonly #known = new Map<string, UserInfo>()
  readonly #allowAnonymous: boolean

  /** Without a token a request is anonymous where that is allowed, else refused. A wrong token is always refused. */
  constructor(tokens: readonly Token[], allowAnonymous: boolean) {
    this.#tokens = tokens.map(({ token, user }) => ({
      bytes: Buffer.from(token),
      user: { ...user, groups: [...user.groups, 'system:authenticated'] },
    }))
    this.#allowAnonymous = allowAnonymous
  }

  /** The user behind an `Authorization` header. Throws 401. */
  authenticate(authorization: string | undefined): UserInfo {
    if (authorization === undefined || authorization === '') {
      if (this.#allowAnonymous) return anonymous
      throw apiError.unauthorized()
    }
    const known = this.#known.get(authorization)
    if (known !== undefined) return known
    const match = /^bearer +(\S+)$/i.exec(authorization)
    const user = match === null ? undefined : this.#find(Buffer.from(match[1] as string))
    if (user === undefined) throw apiError.unauthorized()
    if (this.#known.size < knownLimit) this.#known.set(authorization, user)
    return user
  }

  #find(given: Buffer): UserInfo | undefined {
    let found: UserInfo | undefined
    for (const { bytes, user } of this.#tokens) {
      if (bytes.length === given.length && timingSafeEqual(bytes, given)) found = user
    }
    return found
  }
}

/**
 * Parses kube-apiserver's token file: one `token,user,uid,"group,group"` a line, groups optional.
 * Throws an Error that names the line.
 */
export function parseTokenFile(text: string): Token[] {
  const tokens: Token[] = []
  const seen = new Set<string>()
  text.split(/\r?\n/).forEach((line, i) => {
    if (line.trim() === '' || line.startsWith('#')) return
    const fields = csvFields(line)
    const [token = '', name = '', uid = '', groups = ''] = fields
    if (fields.length < 3) throw new Error(`token file, line ${i + 1}: expected token,user,uid[,"group,group"], got ${fields.length} column(s)`)
    if (token === '') throw new Error(`token file, line ${i + 1}: the token is empty`)
    if (seen.has(token)) throw new Error(`token file, line ${i + 1}: the token stands on an earlier line too`)
    seen.add(token)
    tokens.push({ token, user: { name, uid, groups: groups.split(',').map((g) => g.trim()).filter((g) => g !== '') } })
  })
  return tokens
}

/** The columns of one CSV line; quotes may hold commas, a doubled quote stands for itself. */
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
