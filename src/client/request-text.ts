/**
 * The text of a request. Characters that HTTP does not allow are an error before anything is sent, and the error does
 * not show the value.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { unsendableError } from './connection-failure.ts'
import { TransportError, type Headers } from './transport.ts'

/**
 * Throws a {@link TransportError} with Node's code: ERR_INVALID_CHAR, ERR_INVALID_HTTP_TOKEN, ERR_UNESCAPED_CHARACTERS.
 */
export function requestText(method: string, path: string, headers: Headers, body: string | undefined): string {
  if (!/^[A-Za-z]+$/.test(method))
    throw new TransportError('ERR_INVALID_HTTP_TOKEN', `${JSON.stringify(method)} is no method of HTTP`, false)
  if (!/^[\x21-\x7e]+$/.test(path)) {
    throw new TransportError(
      'ERR_UNESCAPED_CHARACTERS',
      `${method} ${path} cannot be sent: its path has characters that must be escaped`,
      false,
    )
  }
  let text = `${method} ${path} HTTP/1.1\r\n`
  for (const name in headers) {
    const values = headers[name] as string | readonly string[]
    if (typeof values === 'string') text += header(method, path, name, values)
    else for (const value of values) text += header(method, path, name, value)
  }
  // Some proxies reject a request without a content-length.
  if (body === undefined && method.startsWith('P')) text += 'content-length: 0\r\n'
  return `${text}\r\n${body ?? ''}`
}

function header(method: string, path: string, name: string, value: string): string {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch (error) {
    throw unsendableError(error as NodeJS.ErrnoException, `${method} ${path}`)
  }
  return `${name}: ${value}\r\n`
}
