/** Decodes the body of a request into a typed object, with field validation. */
import { jsonTypeName } from '../../api/go-format.ts'
import { fieldError } from '../../api/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { apiVersionOf, parseApiVersion } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { JsonSyntaxError, roundingError, type ParsedJson } from '../../codec/json-text.ts'
import { decodeProtobuf, describeDecodeError, ProtobufError } from '../../codec/protobuf/protobuf.ts'
import { UnmarshalError } from '../../shape/decode.ts'
import type { RegistryCall } from './call.ts'
import { parseJsonText, parseYamlText } from './parse-text.ts'
import { stage } from './write-stages.ts'
import { bodyTypeError, wrongKindReason } from './body-type-errors.ts'
import type { FieldValidation } from './options.ts'
import { isOtherVersion } from './other-versions.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { Decoded, LiveVersion } from '../contract/resource.ts'

const acceptedBodies = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'

/** The media type without parameters, lower case; '' when the header is absent. */
export function mediaType(request: ApiRequest): string {
  const given = request.headers['content-type']
  if (given === undefined || given === 'application/json') return given ?? ''
  let type = mediaTypes.get(given)
  if (type === undefined) {
    type = given.split(';', 1)[0]?.trim().toLowerCase() ?? ''
    if (mediaTypes.size < maxCachedMediaTypes) mediaTypes.set(given, type)
  }
  return type
}

/** By the value of the header. Clients send few different ones. */
const mediaTypes = new Map<string, string>()
const maxCachedMediaTypes = 100

/** Upstream cannot parse such a header, and answers as for an unknown format. */
function hasEmptyParameter({ headers }: ApiRequest): boolean {
  const type = headers['content-type']
  return type !== undefined && type !== 'application/json' && /;\s*;/.test(type)
}

/**
 * Parses a body; undefined if there is none. `expected` is the type of a protobuf message that does not carry its type.
 * With `mayRound`, the caller checks `rounded`. Throws 415, JsonSyntaxError for malformed text, ProtobufError for
 * malformed bytes.
 */
export function readBody(
  call: RegistryCall,
  expected?: Pick<BodyType, 'group' | 'version' | 'kind'>,
  mayRound = false,
): ParsedJson | undefined {
  const { request } = call
  const { body } = request
  if (body === undefined) return undefined
  if (body === '') return mediaType(request) === 'application/yaml' ? parseYamlText(call, body) : undefined
  if (body instanceof Uint8Array) {
    if (body.length === 0) return undefined
    return { value: stage(call, () => decodeProtobuf(body, expected && typeOf(expected))), duplicates: [] }
  }
  const type = hasEmptyParameter(request) ? 'unknown' : mediaType(request)
  if (type === 'application/yaml')
    return typeof body === 'string' ? parseYamlText(call, body, mayRound) : { value: body, duplicates: [] }
  if (type === '' || type === 'application/json')
    return typeof body === 'string' ? parseJsonText(call, body, mayRound) : { value: body, duplicates: [] }
  throw apiError.unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${acceptedBodies}`,
  )
}

function typeOf({ group, version, kind }: Pick<BodyType, 'group' | 'version' | 'kind'>): {
  apiVersion: string
  kind: string
} {
  return { apiVersion: apiVersionOf(group, version), kind }
}

/** The expected type of a body: that of the resource, or that of a subresource such as Scale. */
export interface BodyType {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Default: true. Bodies of custom resources must have kind and apiVersion. */
  readonly builtin?: boolean
  /** The message for bodies of another kind, if it is not the usual one. */
  readonly wrongKind?: string
  decode(value: JsonObject, converted?: boolean, live?: LiveVersion): Decoded
  decodeOther?(value: JsonObject): Decoded | undefined
}

/** Decodes the body of a create or update. Unknown and duplicate fields become warnings or, under Strict, a 400. */
export function decodeBody(
  call: RegistryCall,
  type: BodyType,
  validation: FieldValidation,
  live?: LiveVersion,
): Decoded {
  const parsed = parseBody(call, type)
  return stage(call, () => decodeParsed(call, type, parsed, validation, live))
}

function parseBody(call: RegistryCall, type: BodyType): ParsedJson {
  const { request } = call
  try {
    const parsed = readBody(call, type, roundsSome(call))
    if (parsed === undefined) throw new JsonSyntaxError('unexpected end of JSON input')
    checkRounding(call, parsed, parsed.value)
    return parsed
  } catch (error) {
    if (error instanceof ProtobufError) {
      throw apiError.badRequest(describeDecodeError(error, request.body as Uint8Array, type.kind))
    }
    if (!(error instanceof JsonSyntaxError)) throw error
    const isYaml = mediaType(request) === 'application/yaml'
    throw unrecognized(
      type.kind,
      isYaml ? error.message : `couldn't get version/kind; json parse error: ${error.message}`,
      request.body,
    )
  }
}

/** Whether the resource has numbers that are floats upstream. */
export function roundsSome({ resource }: RegistryCall): boolean {
  return resource.strategy.mayRound !== undefined
}

/** `value`: the object of the request, or the patched one. Throws {@link JsonSyntaxError}. */
export function checkRounding({ resource }: RegistryCall, { rounded }: ParsedJson, value: Json): void {
  if (rounded !== undefined && resource.strategy.mayRound?.(value) !== true) throw roundingError(rounded)
}

function decodeParsed(
  call: RegistryCall,
  type: BodyType,
  parsed: ParsedJson,
  validation: FieldValidation,
  live: LiveVersion | undefined,
): Decoded {
  const { request } = call
  const given = type.builtin === false ? parsed.value : (parsed.merged ?? parsed.value)
  const value = typedObject(given, type, request.body)
  const version = otherVersion(value, type)
  if (version !== undefined) {
    decodeValue(
      call,
      value,
      parsed,
      {
        ...type,
        version: parseApiVersion(version)?.version ?? '',
        decode: (given) => type.decodeOther?.(given) ?? noFields,
      },
      validation,
    )
    throw unexpectedVersion(version, apiVersionOf(type.group, type.version))
  }
  const decoded = decodeValue(call, value, parsed, type, validation, live)
  request.audit?.object(decoded.object)
  return decoded
}

const noFields: Decoded = { object: { metadata: {} }, unknown: [] }

/** The apiVersion in the body of a custom resource, if it is not the version of the URL. */
function otherVersion(value: JsonObject, type: BodyType): string | undefined {
  if (type.builtin !== false || value['apiVersion'] === apiVersionOf(type.group, type.version)) return undefined
  return typeof value['apiVersion'] === 'string' ? value['apiVersion'] : ''
}

function decodeValue(
  call: RegistryCall,
  value: JsonObject,
  parsed: ParsedJson,
  type: BodyType,
  validation: FieldValidation,
  live?: LiveVersion,
): Decoded {
  let decoded: Decoded
  try {
    decoded = type.decode(value, false, live)
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error
    throw notHandled(value, type, error.message)
  }
  const repeats = parsed.repeats ?? []
  if (parsed.duplicates.length > 0 || decoded.unknown.length > 0 || repeats.length > 0) {
    const problems = type.builtin === false ? inGroups(parsed, decoded) : inOrder(parsed, decoded)
    reportProblems(call, validation, [...repeats, ...problems], () => {
      const all = repeats.length === 0 ? problems : [repeatedKeys(repeats), ...problems]
      throw notHandled(value, type, `strict decoding error: ${all.join(', ')}`)
    })
  }
  return decoded
}

/** Repeated keys of a YAML document as one error. */
export function repeatedKeys(repeats: readonly string[]): string {
  return `yaml: unmarshal errors:\n${repeats.map((text) => `  ${text}`).join('\n')}`
}

export const duplicateField = (path: string): string => `duplicate field ${JSON.stringify(path)}`
export const unknownField = (path: string): string => `unknown field ${JSON.stringify(path)}`

function inGroups(parsed: ParsedJson, decoded: Decoded): string[] {
  return [...parsed.duplicates.map(duplicateField), ...decoded.unknown.map(unknownField)]
}

/** In the order in which a typed decoder reports them: an unknown field is reported once, and nothing below it. */
function inOrder({ keys }: ParsedJson, { unknown }: Decoded): string[] {
  if (keys === undefined) return unknown.map(unknownField)
  const left = new Set(unknown)
  const skipped = new Set<string>()
  const problems: string[] = []
  for (const { path, repeated } of keys) {
    if (skipped.has(path) || isBelow(path, skipped)) continue
    if (left.has(path)) {
      skipped.add(path)
      problems.push(unknownField(path))
    } else if (repeated) {
      problems.push(duplicateField(path))
    }
  }
  return problems
}

function isBelow(path: string, skipped: ReadonlySet<string>): boolean {
  for (const each of skipped) {
    if (path.startsWith(each) && (path[each.length] === '.' || path[each.length] === '[')) return true
  }
  return false
}

/** Checks kind and apiVersion, which a client may leave out for built-in types. */
function typedObject(value: Json, type: BodyType, body: ApiRequest['body']): JsonObject {
  const object = value ?? {}
  if (!isObject(object)) throw unrecognized(type.kind, bodyTypeError(object), body)
  const kind = Object.hasOwn(object, 'kind') ? object['kind'] : undefined
  const apiVersion = Object.hasOwn(object, 'apiVersion') ? object['apiVersion'] : undefined
  checkText('kind', kind, type, body)
  checkText('apiVersion', apiVersion, type, body)
  const expected = apiVersionOf(type.group, type.version)
  if (type.builtin === false) {
    checkCustomType(object, expected, type, body)
    return object
  }
  const givenKind = typeof kind === 'string' && kind !== '' ? kind : type.kind
  const givenVersion = typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : expected
  if (givenKind !== type.kind || givenVersion !== expected) {
    throw wrongKind(givenKind, givenVersion, type, object, body)
  }
  return object
}

function checkText(name: string, given: Json | undefined, type: BodyType, body: ApiRequest['body']): void {
  if (given === undefined || given === null || typeof given === 'string') return
  throw unrecognized(
    type.kind,
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(given)} into Go ` +
      `struct field .${name} of type string`,
    body,
  )
}

/** Custom resources have no default type: kind and apiVersion must be present and correct. */
function checkCustomType(object: JsonObject, expected: string, type: BodyType, body: ApiRequest['body']): void {
  const { kind, apiVersion } = object
  if (typeof apiVersion === 'string' && parseApiVersion(apiVersion) === undefined) {
    throw unrecognized(type.kind, `unexpected GroupVersion string: ${apiVersion}`, body)
  }
  if (typeof kind !== 'string' || kind === '') {
    throw unrecognized(type.kind, `Object 'Kind' is missing in '${textOf(body)}'`, body)
  }
  // A wrong apiVersion is reported after the body has been decoded.
  if (apiVersion === expected && kind !== type.kind) {
    const metadata = isObject(object['metadata']) ? object['metadata'] : {}
    const name = typeof metadata['name'] === 'string' ? metadata['name'] : ''
    throw apiError.invalid(type.group, kind, name, [fieldError.invalid('kind', kind, `must be ${type.kind}`)])
  }
}

function wrongKind(kind: string, apiVersion: string, type: BodyType, value: JsonObject, body: ApiRequest['body']) {
  const given = parseApiVersion(apiVersion)
  if (given === undefined) {
    return unrecognized(type.kind, `unexpected GroupVersion string: ${apiVersion}`, body)
  }
  if (type.wrongKind !== undefined) return apiError.badRequest(type.wrongKind)
  const expected = apiVersionOf(type.group, type.version)
  if (kind === type.kind && isOtherVersion(apiVersion, { apiVersion: expected, kind }))
    return wrongVersion(value, apiVersion, expected, type)
  return apiError.badRequest(
    `${kind} in version ${JSON.stringify(given.version)} cannot be handled as a ${type.kind}: ` +
      wrongKindReason(kind, apiVersion, type, value),
  )
}

/** Decoding errors take precedence over the wrong version. */
function wrongVersion(value: JsonObject, given: string, expected: string, type: BodyType) {
  try {
    type.decode(value)
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error
    return notHandled(value, { ...type, version: parseApiVersion(given)?.version ?? '' }, error.message)
  }
  return unexpectedVersion(given, expected)
}

function unexpectedVersion(given: string, expected: string) {
  return apiError.badRequest(
    `the API version in the data (${given}) does not match the expected API version (${expected})`,
  )
}

function notHandled(value: JsonObject, type: BodyType, why: string) {
  const kind = typeof value['kind'] === 'string' ? value['kind'] : type.kind
  const { version } = type
  return apiError.badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${type.kind}: ${why}`,
  )
}

function unrecognized(kind: string, why: string, body: ApiRequest['body']) {
  return apiError.badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(body)})`)
}

function textOf(body: ApiRequest['body']): string {
  if (typeof body === 'string') return body
  return body === undefined
    ? ''
    : body instanceof Uint8Array
      ? Buffer.from(body).toString('latin1')
      : JSON.stringify(body)
}

const summaryLength = 30

/** The start of the body, as text if it looks like JSON, otherwise as hex. */
function summary(body: ApiRequest['body']): string {
  const text = textOf(body)
  if (text === '') return '<empty>'
  if (text.startsWith('{')) return text.length > summaryLength ? `${text.slice(0, summaryLength)} ...` : text
  const bytes = Buffer.from(text)
  return bytes.length > summaryLength
    ? `${bytes.subarray(0, summaryLength).toString('hex')} ...`
    : bytes.toString('hex')
}

/** Adds the problems of field validation as warnings, or calls `refuse` under Strict. */
export function reportProblems(
  call: RegistryCall,
  validation: FieldValidation,
  problems: readonly string[],
  refuse: () => never,
): void {
  if (validation === 'Ignore' || problems.length === 0) return
  if (validation === 'Strict') refuse()
  for (const problem of problems) call.warnings.add(problem)
}
