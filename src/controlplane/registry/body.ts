/** Bodies: from what the client sent to the canonical object, with field validation. */
import { jsonTypeName } from '../../api/go-format.ts'
import { fieldError } from '../../api/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { apiVersionOf, parseApiVersion, type KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { JsonSyntaxError, parseJson, type ParsedJson } from '../codec/json-text.ts'
import { decodeProtobuf, describeRefusal, ProtobufError } from '../codec/protobuf/protobuf.ts'
import { parseYaml } from '../codec/yaml-text.ts'
import { UnmarshalError } from '../shape/decode.ts'
import type { Call } from './call.ts'
import type { FieldValidation } from './options.ts'
import type { ApiRequest } from './request.ts'
import type { Decoded } from './resource.ts'

const acceptedBodies = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'

/** The media type without parameters, lower case; '' when the header is absent. */
export function mediaType(request: ApiRequest): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/**
 * Reads a body; undefined when there is none. `expected` is the type of a protobuf message that does not say its own.
 * Throws 415, JsonSyntaxError for broken text, ProtobufError for broken bytes.
 */
export function readBody(request: ApiRequest, expected?: { apiVersion: string; kind: string }): ParsedJson | undefined {
  const { body } = request
  if (body === undefined) return undefined
  if (body === '') return mediaType(request) === 'application/yaml' ? parseYaml(body) : undefined
  if (body instanceof Uint8Array) return body.length === 0 ? undefined : { value: decodeProtobuf(body, expected), duplicates: [] }
  if (typeof body !== 'string') return { value: body, duplicates: [] }
  switch (mediaType(request)) {
    case '':
    case 'application/json':
      return parseJson(body)
    case 'application/yaml':
      return parseYaml(body)
    default:
      throw apiError.unsupportedMediaType(
        `the body of the request was in an unknown format - accepted media types include: ${acceptedBodies}`,
      )
  }
}

/** The expected type of a body: the resource's own, or that of a subresource such as Scale. */
export interface BodyType {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Absent: true. Bodies of custom resources must say what they are. */
  readonly builtin?: boolean
  decode(value: JsonObject): Decoded
}

/** Decodes the body of a create or update. Unknown and duplicate fields become warnings or, under Strict, a 400. */
export function decodeBody(call: Call, type: BodyType, validation: FieldValidation): KubeObject {
  const { request } = call
  let parsed: ParsedJson | undefined
  try {
    parsed = readBody(request, { apiVersion: apiVersionOf(type.group, type.version), kind: type.kind })
    if (parsed === undefined) throw new JsonSyntaxError('unexpected end of JSON input')
  } catch (error) {
    if (error instanceof ProtobufError) {
      throw apiError.badRequest(describeRefusal(error, request.body as Uint8Array, type.kind))
    }
    if (!(error instanceof JsonSyntaxError)) throw error
    throw unrecognized(type.kind, `couldn't get version/kind; json parse error: ${error.message}`, request.body)
  }
  const value = typedObject(parsed.value, type, request.body)
  let decoded: Decoded
  try {
    decoded = type.decode(value)
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error
    throw notHandled(value, type, error.message)
  }
  if (parsed.duplicates.length > 0 || decoded.unknown.length > 0) {
    const problems = [
      ...parsed.duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
      ...decoded.unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
    ]
    reportProblems(call, validation, problems, () => {
      throw notHandled(value, type, `strict decoding error: ${problems.join(', ')}`)
    })
  }
  return decoded.object
}

/** Why a value that is no object has no type. */
export function notTyped(value: Json): string {
  const fields = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${fields}`
}

/** Checks kind and apiVersion, which a client may leave out for built-in types. */
function typedObject(value: Json, type: BodyType, body: ApiRequest['body']): JsonObject {
  const object = value ?? {}
  if (!isObject(object)) throw unrecognized(type.kind, notTyped(object), body)
  const kind = Object.hasOwn(object, 'kind') ? object['kind'] : undefined
  const apiVersion = Object.hasOwn(object, 'apiVersion') ? object['apiVersion'] : undefined
  for (const [name, given] of [['kind', kind], ['apiVersion', apiVersion]] as const) {
    if (given !== undefined && given !== null && typeof given !== 'string') {
      throw unrecognized(
        type.kind,
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(given)} into Go struct field .${name} of type string`,
        body,
      )
    }
  }
  const expected = apiVersionOf(type.group, type.version)
  if (type.builtin === false) {
    checkCustomType(object, expected, type, body)
    return object
  }
  const givenKind = typeof kind === 'string' && kind !== '' ? kind : type.kind
  const givenVersion = typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : expected
  if (givenKind !== type.kind || givenVersion !== expected) {
    throw wrongKind(givenKind, givenVersion, type, body)
  }
  return object
}

/** Custom resources have no type to fall back on: kind and apiVersion must be there and be right. */
function checkCustomType(object: JsonObject, expected: string, type: BodyType, body: ApiRequest['body']): void {
  const { kind, apiVersion } = object
  if (typeof kind !== 'string' || kind === '') {
    throw unrecognized(type.kind, `Object 'Kind' is missing in '${textOf(body)}'`, body)
  }
  if (apiVersion !== expected) {
    throw apiError.badRequest(
      `the API version in the data (${typeof apiVersion === 'string' ? apiVersion : ''}) does not match the expected API version (${expected})`,
    )
  }
  if (kind !== type.kind) {
    const metadata = isObject(object['metadata']) ? object['metadata'] : {}
    const name = typeof metadata['name'] === 'string' ? metadata['name'] : ''
    throw apiError.invalid(type.group, kind, name, [fieldError.invalid('kind', kind, `must be ${type.kind}`)])
  }
}

/** Go packages of the internal types, where they differ from the group's first label. */
function internalPackage(group: string): string {
  if (group === '') return 'core'
  const first = group.split('.', 1)[0] as string
  return first
}

function wrongKind(kind: string, apiVersion: string, type: BodyType, body: ApiRequest['body']) {
  const given = parseApiVersion(apiVersion)
  if (given === undefined) {
    return unrecognized(type.kind, `unexpected GroupVersion string: ${apiVersion}`, body)
  }
  const head = `${kind} in version ${JSON.stringify(given.version)} cannot be handled as a ${type.kind}`
  if (given.group === type.group && given.version === type.version) {
    return apiError.badRequest(
      `${head}: converting (${type.version}.${kind}) to (${internalPackage(type.group)}.${type.kind}): unknown conversion`,
    )
  }
  return apiError.badRequest(
    `${head}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
  )
}

function notHandled(value: JsonObject, type: BodyType, why: string) {
  const kind = typeof value['kind'] === 'string' ? value['kind'] : type.kind
  const { version } = type
  return apiError.badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${type.kind}: ${why}`)
}

function unrecognized(kind: string, why: string, body: ApiRequest['body']) {
  return apiError.badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(body)})`)
}

function textOf(body: ApiRequest['body']): string {
  if (typeof body === 'string') return body
  return body === undefined ? '' : body instanceof Uint8Array ? Buffer.from(body).toString('latin1') : JSON.stringify(body)
}

const summaryLength = 30

/** The start of the body: as text when it looks like JSON, else as hex. */
function summary(body: ApiRequest['body']): string {
  const text = textOf(body)
  if (text === '') return '<empty>'
  if (text.startsWith('{')) return text.length > summaryLength ? `${text.slice(0, summaryLength)} ...` : text
  const bytes = Buffer.from(text)
  return bytes.length > summaryLength ? `${bytes.subarray(0, summaryLength).toString('hex')} ...` : bytes.toString('hex')
}

/** Turns what field validation found into warnings, or calls `refuse` under Strict. */
export function reportProblems(call: Call, validation: FieldValidation, problems: readonly string[], refuse: () => never): void {
  if (validation === 'Ignore' || problems.length === 0) return
  if (validation === 'Strict') refuse()
  for (const problem of problems) call.warnings.add(problem)
}
