/** Patch: the four kinds, each a way to make the new object from the live one; the rest is an update. */
import { fieldError } from '../../api/field-error.ts'
import { jsonTypeName } from '../../api/go-format.ts'
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { apiVersionOf, type KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { JsonSyntaxError, parseJson, type ParsedJson } from '../codec/json-text.ts'
import { parseYaml } from '../codec/yaml-text.ts'
import { applyPatch } from '../fields/apply-patch.ts'
import { trackUpdate } from '../fields/track-update.ts'
import { applyJsonPatch, jsonPatchText, jsonPatchWarnings } from '../patch/json-patch.ts'
import { applyMergePatch, checkMergePatch, mergePatchText } from '../patch/merge-patch.ts'
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts'
import { UnmarshalError } from '../shape/decode.ts'
import { mediaType, notTyped, reportProblems, type BodyType } from './body.ts'
import { managerName, resourceName, type Call } from './call.ts'
import type { Written } from './create.ts'
import { matchName } from './metadata.ts'
import { writeOptions, type WriteOptions } from './options.ts'
import type { Decoded } from './resource.ts'
import { trackContext } from './tracking.ts'
import { updateObject } from './update.ts'

const jsonPatch = 'application/json-patch+json'
const mergePatch = 'application/merge-patch+json'
const strategicPatch = 'application/strategic-merge-patch+json'
export const applyYaml = 'application/apply-patch+yaml'

/** The patch kind the client asked for; 415 where the resource does not take it. */
export function patchType(call: Call): string {
  const type = mediaType(call.request)
  if (type === jsonPatch || type === mergePatch || type === applyYaml) return type
  if (type === strategicPatch && call.resource.builtin) return type
  if (call.resource.builtin) throw apiError.unsupportedMediaType('415: Unsupported Media Type', {})
  throw apiError.unsupportedMediaType(
    'the body of the request was in an unknown format - accepted media types include: ' +
      `${jsonPatch}, ${mergePatch}, ${applyYaml}`,
  )
}

/** PATCH, on the object or its status. */
export function patch(call: Call): Written {
  const type = patchType(call)
  const options = writeOptions('PatchOptions', call.request.query, type === applyYaml)
  if (type === applyYaml) return apply(call, options)
  const parsed = parsePatch(call, type)
  const manager = managerName(options.fieldManager, call.request)
  return updateObject(call, options, {
    change: (live) => {
      const next = decodePatched(call, call.resource, type, live as unknown as JsonObject, parsed, options)
      trackUpdate(live, next, manager, trackContext(call))
      return next
    },
  })
}

/** Patches have no protobuf form. */
function textOrValue(call: Call): string | Json {
  const { body } = call.request
  return body === undefined || body instanceof Uint8Array ? '' : body
}

export function parsePatch(call: Call, type: string): ParsedJson {
  const body = textOrValue(call)
  if (typeof body !== 'string') return { value: body, duplicates: [] }
  try {
    return parseJson(body)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw apiError.badRequest(type === strategicPatch ? error.message : `error decoding patch: ${error.message}`)
  }
}

/** Applies a patch other than apply and decodes the result as `bodyType`. */
export function decodePatched(
  call: Call, bodyType: BodyType, type: string, live: JsonObject, parsed: ParsedJson, options: WriteOptions,
): KubeObject {
  const { value } = parsed
  const lenient = options.fieldValidation === 'Ignore'
  let patched: Json
  let text: () => string
  const problems = parsed.duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`)
  if (type === jsonPatch) {
    if (!lenient) problems.push(...jsonPatchWarnings(value))
    patched = applyJsonPatch(live, value)
    text = () => jsonPatchText(live, value)
  } else if (type === mergePatch) {
    if (!lenient) checkMergePatch(value)
    patched = applyMergePatch(live, value)
    text = () => mergePatchText(live, value)
  } else {
    const merge = applyStrategicMergePatch(live, value, call.resource.shape)
    patched = merge.object
    text = () => merge.patchText()
  }
  if (!isObject(patched)) throw invalidPatch(text(), notTyped(patched))
  let decoded: Decoded
  try {
    checkType(patched, bodyType)
    decoded = bodyType.decode(patched)
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error
    throw invalidPatch(text(), type === strategicPatch ? error.restoring : error.message)
  }
  problems.push(...decoded.unknown.map((path) => `unknown field ${JSON.stringify(path)}`))
  reportProblems(call, options.fieldValidation, problems, () => {
    throw invalidPatch(text(), `strict decoding error: ${problems.join(', ')}`)
  })
  return decoded.object
}

/** A patch may not turn the object into another kind; of built-ins it may leave the kind out, as any body may. */
function checkType(patched: JsonObject, type: BodyType): void {
  const expected = apiVersionOf(type.group, type.version)
  const optional = type.builtin !== false
  const kind = optional ? patched['kind'] ?? type.kind : patched['kind']
  const apiVersion = optional ? patched['apiVersion'] ?? expected : patched['apiVersion']
  if (kind === type.kind && apiVersion === expected) return
  throw new UnmarshalError(`no kind ${JSON.stringify(kind ?? '')} is registered for version ${JSON.stringify(apiVersion ?? '')} in scheme "pkg/api/legacyscheme/scheme.go:30"`)
}

function invalidPatch(text: string, why: string) {
  return apiError.invalid('', '', '', [fieldError.invalid('patch', text, why)])
}

/** Server-side apply. */
function apply(call: Call, options: WriteOptions): Written {
  const { resource } = call
  const parsed = parseApply(call)
  const value = parsed.value ?? {}
  if (!isObject(value)) throw notAnObject(value)
  const context = trackContext(call)
  const applied = (live: KubeObject | undefined): KubeObject => {
    const object = applyPatch(live, value, options.fieldManager, options.force, context)
    const problems = parsed.duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`)
    reportProblems(call, options.fieldValidation, problems, () => {
      throw apiError.badRequest(`error strict decoding YAML: ${problems.join(', ')}`)
    })
    return object
  }
  return updateObject(call, options, {
    change: applied,
    create: call.subresource === ''
      ? () => {
          const object = applied(undefined)
          const uid = object.metadata.uid
          if (uid !== undefined && uid !== '') {
            throw apiError.conflict(
              resourceName(resource), call.name,
              `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
            )
          }
          matchName(object.metadata, call.name)
          return object
        }
      : undefined,
  })
}

function notAnObject(value: Json) {
  const given = jsonTypeName(value)
  return apiError.badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${given} into Go value of type map[string]interface {}`,
  )
}

export function parseApply(call: Call): ParsedJson {
  const body = textOrValue(call)
  if (typeof body !== 'string') return { value: body, duplicates: [] }
  try {
    return parseYaml(body)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw apiError.badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`)
  }
}
