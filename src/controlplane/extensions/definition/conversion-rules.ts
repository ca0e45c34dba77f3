/** Validation of the conversion strategy of a CRD: None or Webhook. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { getOwn, isObject, type JsonObject } from '../../../api/json.ts'
import { checkLabel1035, checkSubdomain } from '../../../api/names.ts'
import { goQuote } from '../../../api/go-format.ts'
import { goJson } from '../../../api/go-json.ts'
import { maybeText, numberOf, objectOf, stringsOf, textOf } from '../../../structural/reading.ts'

export function conversionErrors(path: string, conversion: JsonObject | undefined): FieldError[] {
  if (conversion === undefined) return []
  const errors: FieldError[] = []
  const strategy = textOf(conversion, 'strategy')
  if (strategy === '') errors.push(fieldError.required(`${path}.strategy`))
  else if (strategy !== 'None' && strategy !== 'Webhook') {
    errors.push(fieldError.notSupported(`${path}.strategy`, strategy, ['None', 'Webhook']))
  }
  const webhook = objectOf(conversion, 'webhook')
  const config = getOwn(webhook, 'clientConfig')
  const reviewVersions = stringsOf(webhook, 'conversionReviewVersions')
  if (strategy === 'Webhook') {
    checkClient(isObject(config) ? config : undefined, `${path}.webhookClientConfig`, errors)
    checkReviewVersions(reviewVersions, `${path}.conversionReviewVersions`, errors)
    return errors
  }
  const detail = 'should not be set when strategy is not set to Webhook'
  if (isObject(config)) errors.push(fieldError.forbidden(`${path}.webhookClientConfig`, detail))
  if (reviewVersions.length > 0) errors.push(fieldError.forbidden(`${path}.conversionReviewVersions`, detail))
  return errors
}

function checkClient(config: JsonObject | undefined, path: string, errors: FieldError[]): void {
  if (config === undefined) {
    errors.push(fieldError.required(path, 'required when strategy is set to Webhook'))
    return
  }
  const url = maybeText(config, 'url')
  const service = getOwn(config, 'service')
  if ((url === undefined) === !isObject(service)) {
    errors.push(fieldError.required(path, 'exactly one of url or service is required'))
  } else if (url !== undefined) {
    checkUrl(url, `${path}.url`, errors)
  } else if (isObject(service)) {
    checkService(service, `${path}.service`, errors)
  }
}

function invalid(field: string, shown: string, detail: string): FieldError {
  return { type: 'Invalid', field, summary: `Invalid value: ${shown}`, detail }
}

function checkUrl(text: string, field: string, errors: FieldError[]): void {
  const form = '; desired format: https://host[/path]'
  const parts = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(text)
  const [scheme = '', authority = '', query = '', fragment = ''] = parts?.slice(1) ?? []
  const at = authority.lastIndexOf('@')
  if (scheme.toLowerCase() !== 'https') {
    errors.push(invalid(field, goQuote(scheme.toLowerCase()), `'https' is the only allowed URL scheme${form}`))
  }
  if (authority.slice(at + 1) === '') errors.push(invalid(field, '""', `host must be specified${form}`))
  if (at >= 0) {
    errors.push(invalid(field, goQuote(authority.slice(0, at)), 'user information is not permitted in the URL'))
  }
  if (fragment !== '') errors.push(invalid(field, goQuote(fragment), 'fragments are not permitted in the URL'))
  if (query !== '') errors.push(invalid(field, goQuote(query), 'query parameters are not permitted in the URL'))
}

/** Upstream passes name and namespace in the wrong order, which its messages show. */
function checkService(service: JsonObject, path: string, errors: FieldError[]): void {
  if (textOf(service, 'namespace') === '') errors.push(fieldError.required(`${path}.name`))
  if (textOf(service, 'name') === '') errors.push(fieldError.required(`${path}.namespace`))
  const port = numberOf(service, 'port') ?? 443
  if (port < 1 || port > 65535) {
    errors.push(fieldError.invalid(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'))
  }
  const given = maybeText(service, 'path') ?? ''
  if (given !== '' && given !== '/') checkPath(given, `${path}.path`, errors)
}

function checkPath(path: string, field: string, errors: FieldError[]): void {
  const report = (detail: string) => errors.push(invalid(field, goQuote(path), detail))
  if (path === '//') {
    report('segment[0] may not be empty')
    return
  }
  if (!path.startsWith('/')) report("must start with a '/'")
  path
    .slice(1)
    .replace(/\/$/, '')
    .split('/')
    .forEach((segment, i) => {
      if (segment === '') report(`segment[${i}] may not be empty`)
      else for (const problem of checkSubdomain(segment)) report(`segment[${i}]: ${problem}`)
    })
}

function checkReviewVersions(versions: readonly string[], path: string, errors: FieldError[]): void {
  if (versions.length === 0) {
    errors.push(fieldError.required(path))
    return
  }
  const seen = new Set<string>()
  versions.forEach((version, i) => {
    if (seen.has(version)) {
      errors.push(invalid(`${path}[${i}]`, goQuote(version), 'duplicate version'))
      return
    }
    seen.add(version)
    for (const problem of checkLabel1035(version)) errors.push(invalid(`${path}[${i}]`, goQuote(version), problem))
  })
  if (!seen.has('v1') && !seen.has('v1beta1')) {
    errors.push(invalid(path, goJson([...versions]), 'must include at least one of v1, v1beta1'))
  }
}
