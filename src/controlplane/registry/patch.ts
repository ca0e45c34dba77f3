/** Decodes patches of the four content types and applies them to the live object. */
import { appendAll } from '../../api/append.ts'
import { fieldError } from '../../api/field-error.ts'
import { jsonTypeName } from '../../api/go-format.ts'
import { isObject, sortedKeys, type Json, type JsonObject } from '../../api/json.ts'
import { apiVersionOf, parseApiVersion, type KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { JsonSyntaxError, type ParsedJson } from '../../codec/json-text.ts'
import { applyJsonPatch, jsonPatchText, jsonPatchWarnings } from '../patch/json-patch.ts'
import { applyMergePatch, checkMergePatch, mergePatchText } from '../patch/merge-patch.ts'
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts'
import { UnmarshalError } from '../../shape/decode.ts'
import { wrongType } from '../../shape/decode-scalar.ts'
import { holdsRaw } from '../../shape/shape.ts'
import {
  checkRounding,
  duplicateField,
  mediaType,
  reportProblems,
  roundsSome,
  unknownField,
  type BodyType,
} from './body.ts'
import type { RegistryCall } from './call.ts'
import { bodyTypeError, wrongKindReason } from './body-type-errors.ts'
import { isOtherVersion, isUnserved } from './other-versions.ts'
import type { WriteOptions } from './options.ts'
import { parseJsonText, parseYamlText } from './parse-text.ts'
import type { Decoded, LiveVersion } from '../contract/resource.ts'

const jsonPatch = 'application/json-patch+json'
const mergePatch = 'application/merge-patch+json'
const strategicPatch = 'application/strategic-merge-patch+json'
export const applyYaml = 'application/apply-patch+yaml'

/** The content type of the patch; throws 415 if the resource does not accept it. */
export function patchType({ request, resource }: Pick<RegistryCall, 'request' | 'resource'>): string {
  const type = mediaType(request)
  if (type === jsonPatch || type === mergePatch || type === applyYaml) return type
  if (type === strategicPatch && resource.builtin) return type
  if (resource.builtin) throw apiError.unsupportedMediaType('415: Unsupported Media Type', {})
  throw apiError.unsupportedMediaType(
    'the body of the request was in an unknown format - accepted media types include: ' +
      `${jsonPatch}, ${mergePatch}, ${applyYaml}`,
  )
}

/** The body as text or as a value. Patches have no protobuf form. */
function textOrValue(call: RegistryCall): string | Json {
  const { body } = call.request
  return body === undefined || body instanceof Uint8Array ? '' : body
}

export function parsePatch(call: RegistryCall, type: string): ParsedJson {
  const body = textOrValue(call)
  if (typeof body !== 'string') return { value: body, duplicates: [] }
  try {
    return parseJsonText(call, body, roundsSome(call))
  } catch (error) {
    throw undecoded(type, error)
  }
}

function undecoded(type: string, error: unknown): unknown {
  if (!(error instanceof JsonSyntaxError)) return error
  return apiError.badRequest(type === strategicPatch ? error.message : `error decoding patch: ${error.message}`)
}

/** Applies a patch other than apply and decodes the result as `bodyType`. */
export function decodePatched(
  call: RegistryCall,
  bodyType: BodyType,
  type: string,
  version: LiveVersion,
  parsed: ParsedJson,
  options: WriteOptions,
): Decoded {
  const live = version.object
  const { value } = parsed
  const lenient = options.fieldValidation === 'Ignore'
  let patched: Json
  let text: () => string
  const problems = parsed.duplicates.map(
    type === jsonPatch ? (path) => `json patch ${duplicateField(path)}` : duplicateField,
  )
  if (type === jsonPatch) {
    if (!lenient) appendAll(problems, jsonPatchWarnings(value))
    patched = applyJsonPatch(live, value)
    text = () => jsonPatchText(inOrder(bodyType, live), value)
  } else if (type === mergePatch) {
    if (!lenient) checkMergePatch(value)
    patched = applyMergePatch(live, value)
    text = () => mergePatchText(inOrder(bodyType, live), value)
  } else {
    const merge = applyStrategicMergePatch(live, value, call.resource.shape)
    patched = merge.object
    text = () => merge.patchText()
  }
  try {
    checkRounding(call, parsed, patched)
  } catch (error) {
    throw undecoded(type, error)
  }
  if (type !== strategicPatch && bodyType.builtin !== false && holdsRaw(call.resource.shape))
    patched = JSON.parse(text()) as Json
  if (!isObject(patched)) throw invalidPatch(text(), bodyTypeError(patched))
  let decoded: Decoded
  try {
    if (bodyType.builtin === false) checkCustomType(patched, bodyType, live)
    else patched = type === strategicPatch ? retyped(patched, bodyType) : ofType(patched, bodyType)
    decoded = isVersionless(patched, bodyType)
      ? decodedVersionless(patched)
      : bodyType.decode(patched, type === strategicPatch, {
          object: live,
          parts: version.parts,
          restoresSpec: call.subresource === 'status',
        })
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error
    throw invalidPatch(text(), type === strategicPatch ? error.message : problemOfText(bodyType, text(), error))
  }
  if (
    decoded.unknown.length > 1 &&
    type !== strategicPatch &&
    bodyType.builtin !== false &&
    !isVersionless(patched, bodyType)
  ) {
    // In the order of the JSON text that upstream decodes.
    decoded = { ...decoded, unknown: bodyType.decode(JSON.parse(text()) as JsonObject).unknown }
  }
  appendAll(problems, decoded.unknown.map(unknownField))
  reportProblems(call, options.fieldValidation, problems, () => {
    throw invalidPatch(text(), `strict decoding error: ${problems.join(', ')}`)
  })
  return decoded
}

/** The first decoding error in the order of the JSON text that upstream decodes. */
function problemOfText(type: BodyType, text: string, found: UnmarshalError): string {
  try {
    const value = JSON.parse(text) as Json
    if (isObject(value)) type.decode(value)
  } catch (error) {
    if (error instanceof UnmarshalError) return error.message
    if (!(error instanceof SyntaxError)) throw error
  }
  return found.message
}

/**
 * The fields in the order of the type. For custom resources in alphabetical order, since upstream has them as a map.
 */
function inOrder(type: BodyType, live: JsonObject): JsonObject {
  return type.builtin === false ? sortedKeys(live) : type.decode(live).object
}

/**
 * A patch may not change the kind, but may remove kind and apiVersion. A version of the same kind that is not served
 * any more is accepted as this one.
 */
function ofType(patched: JsonObject, type: BodyType): JsonObject {
  const expected = apiVersionOf(type.group, type.version)
  const kind = patched['kind'] ?? type.kind
  const apiVersion = patched['apiVersion'] ?? expected
  if (kind === type.kind && apiVersion === expected) return patched
  const given = textOf(apiVersion)
  if (
    kind === type.kind &&
    isUnserved(given, type.kind) &&
    isOtherVersion(given, { apiVersion: expected, kind: type.kind })
  ) {
    return { ...patched, apiVersion: expected }
  }
  throw new UnmarshalError(wrongKindReason(textOf(kind), textOf(apiVersion), type, patched))
}

/** The result of a strategic merge patch keeps its kind and apiVersion, whatever the patch says. */
function retyped(patched: JsonObject, type: BodyType): JsonObject {
  const { kind = null, apiVersion = null } = patched
  const expected = apiVersionOf(type.group, type.version)
  if (kind === type.kind && apiVersion === expected) return patched
  for (const value of [kind, apiVersion]) {
    if (value !== null && typeof value !== 'string')
      throw wrongType(value, 'string', 'string', { struct: '', path: [], converted: true })
  }
  return { ...patched, kind: type.kind, apiVersion: expected }
}

/** Upstream decodes a built-in object with a kind but no apiVersion as a type without fields. */
function isVersionless(patched: JsonObject, type: BodyType): boolean {
  return type.builtin !== false && typeof patched['kind'] === 'string' && (patched['apiVersion'] ?? '') === ''
}

function decodedVersionless(patched: JsonObject): Decoded {
  const unknown = Object.keys(patched).filter((key) => key !== 'kind' && key !== 'apiVersion')
  return { object: { kind: '', apiVersion: '', metadata: {} }, unknown: unknown.toSorted() }
}

/** A patch may not change or remove kind and apiVersion of a custom resource. */
function checkCustomType(patched: JsonObject, type: BodyType, live: JsonObject): void {
  if (patched['apiVersion'] === live['apiVersion'] && patched['kind'] === live['kind']) return
  const expected = apiVersionOf(type.group, type.version)
  const kind = textOf(patched['kind'])
  const apiVersion = textOf(patched['apiVersion'])
  const name = isObject(patched['metadata']) ? textOf(patched['metadata']['name']) : ''
  if (apiVersion === '') {
    const why = "Object 'apiVersion' is missing in 'object has no apiVersion field'"
    throw apiError.internalError(why)
  }
  if (apiVersion !== expected) {
    throw apiError.invalid(parseApiVersion(apiVersion)?.group ?? '', kind, name, [
      fieldError.invalid('apiVersion', apiVersion, `must be ${expected}`),
    ])
  }
  if (kind !== type.kind)
    throw apiError.invalid(type.group, kind, name, [fieldError.invalid('kind', kind, `must be ${type.kind}`)])
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function invalidPatch(text: string, why: string) {
  return apiError.invalid('', '', '', [fieldError.invalid('patch', text, why)])
}

/** Decodes the merged object of an apply. */
export function decodeMerged(
  { resource, subresource }: RegistryCall,
  merged: KubeObject,
  live: LiveVersion | undefined,
): Decoded {
  const value = merged
  try {
    const decoded = resource.decodeApplied?.(value, live) ?? resource.decode(value, true, live)
    // Empty parts of metadata, of the object or of an embedded one, are stored but not shown. A status write does not
    // store metadata.
    const isStored = !resource.builtin && subresource !== 'status'
    const hasEmpty = isStored && (hasNulls(value['metadata']) || isEmptyWithin(decoded))
    return hasEmpty ? { ...decoded, needsRewrite: true } : decoded
  } catch (error) {
    if (!resource.builtin || !(error instanceof UnmarshalError)) throw error
    const { group, version, kind } = resource
    throw new UnmarshalError(
      `unable to convert unstructured object to ${group}/${version}, Kind=${kind}: ${error.message}`,
    )
  }
}

function isEmptyWithin({ object, empty }: Decoded): boolean {
  return empty?.isWithin(object) === true
}

/** Null: an apply has removed the last entry. */
function hasNulls(metadata: Json | undefined): boolean {
  if (!isObject(metadata)) return false
  for (const name in metadata) if (metadata[name] === null) return true
  return false
}

export function notAnObject(value: Json) {
  const given = jsonTypeName(value)
  return apiError.badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${given} into ` +
      'Go value of type map[string]interface {}',
  )
}

export function parseApply(call: RegistryCall): ParsedJson {
  const body = textOrValue(call)
  if (typeof body !== 'string') return { value: body, duplicates: [] }
  try {
    const parsed = parseYamlText(call, body, roundsSome(call))
    checkRounding(call, parsed, parsed.value)
    return parsed
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw apiError.badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`)
  }
}
