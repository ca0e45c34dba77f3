/** Validation of the client configuration of a webhook: a URL or a service. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { checkSubdomain } from '../../../api/names.ts'
import { portNumber } from '../shared/formats.ts'
import { int, struct, text } from '../shared/values.ts'

export function checkClient(errors: FieldError[], field: string, client: JsonObject): void {
  const service = struct(client.service)
  if ((client.url === undefined) === (service === undefined)) {
    errors.push(fieldError.required(field, 'exactly one of url or service is required'))
  } else if (service === undefined) {
    checkUrl(errors, `${field}.url`, text(client.url))
  } else {
    checkService(errors, `${field}.service`, service)
  }
}

function checkService(errors: FieldError[], field: string, service: JsonObject): void {
  for (const part of ['name', 'namespace'] as const) {
    if (text(service[part]) === '') errors.push(fieldError.required(`${field}.${part}`))
  }
  const port = int(service.port)
  for (const message of portNumber(port)) {
    errors.push(fieldError.invalid(`${field}.port`, port, `port is not valid: ${message}`))
  }
  checkPath(errors, `${field}.path`, text(service.path))
}

function checkPath(errors: FieldError[], field: string, path: string): void {
  if (path === '' || path === '/') return
  if (path === '//') {
    errors.push(fieldError.invalid(field, path, 'segment[0] may not be empty'))
    return
  }
  if (!path.startsWith('/')) errors.push(fieldError.invalid(field, path, "must start with a '/'"))
  for (const [i, segment] of path.slice(1).replace(/\/$/, '').split('/').entries()) {
    const messages = segment === '' ? [' may not be empty'] : checkSubdomain(segment).map((message) => `: ${message}`)
    for (const message of messages) errors.push(fieldError.invalid(field, path, `segment[${i}]${message}`))
  }
}

const urlForm = '; desired format: https://host[/path]'

function checkUrl(errors: FieldError[], field: string, url: string): void {
  if (!URL.canParse(url)) {
    errors.push(
      fieldError.required(field, `url must be a valid URL: parse ${JSON.stringify(url)}: invalid URI${urlForm}`),
    )
    return
  }
  const { protocol, host, username, password, hash, search } = new URL(url)
  const scheme = protocol.slice(0, -1)
  if (scheme !== 'https') {
    errors.push(fieldError.invalid(field, scheme, `'https' is the only allowed URL scheme${urlForm}`))
  }
  if (host === '') errors.push(fieldError.invalid(field, host, `host must be specified${urlForm}`))
  if (username !== '' || password !== '') {
    errors.push(
      fieldError.invalid(
        field,
        password === '' ? username : `${username}:${password}`,
        'user information is not permitted in the URL',
      ),
    )
  }
  if (hash !== '') {
    errors.push(fieldError.invalid(field, hash.slice(1), 'fragments are not permitted in the URL'))
  }
  if (search !== '') {
    errors.push(fieldError.invalid(field, search.slice(1), 'query parameters are not permitted in the URL'))
  }
}
