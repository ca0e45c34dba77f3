/** Continue tokens in upstream's format: base64url JSON of the revision and the start key. */
import { apiError } from '../../api/status.ts'
import { JsonSyntaxError, parseJson } from '../../codec/json-text.ts'

/**
 * `after` is a key relative to the prefix of the list. Revision -1 continues at the newest revision. Tokens from
 * upstream's watch cache have a slash before the key.
 */
export function encodeContinue(revision: number, after: string, cached = true): string {
  const token = JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${cached ? '/' : ''}${after}\0` })
  return Buffer.from(token).toString('base64url')
}

export function decodeContinue(token: string): { revision: number; start: string } {
  const bad = (why: string) => apiError.badRequest(`invalid continue token: continue key is not valid: ${why}`)
  if (!/^[A-Za-z0-9_-]*$/.test(token)) {
    const at = token.search(/[^A-Za-z0-9_-]/)
    throw bad(`illegal base64 data at input byte ${at}`)
  }
  let value: unknown
  try {
    value = parseJson(Buffer.from(token, 'base64url').toString('latin1')).value
  } catch (error) {
    throw bad(error instanceof JsonSyntaxError ? error.message : String(error))
  }
  const { v, rv, start } = (value ?? {}) as { v?: unknown; rv?: unknown; start?: unknown }
  if (v !== 'meta.k8s.io/v1')
    throw bad(`server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`)
  if (typeof rv !== 'number' || rv === 0) throw bad('incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  if (typeof start !== 'string' || start === '') throw bad('encoded start key empty (version meta.k8s.io/v1)')
  const path = start.replace(/^\//, '')
  if (path.split('/').some((part) => part === '..' || part === '.')) throw bad('encoded continue key is not valid')
  return { revision: rv, start: path }
}
