/**
 * Builds ConversionReviews and checks the responses of webhooks: as many objects as were sent, each the same object in
 * another version, with changes only in labels and annotations of the metadata. Errors have upstream's messages.
 */
import { fieldErrorMessage } from '../../api/field-error.ts'
import { goQuote, goType, jsonTypeName } from '../../api/go-format.ts'
import { getOwn, isObject, type FrozenJson, type Json, type JsonObject } from '../../api/json.ts'
import { validateLabels } from '../../api/label-selector-object.ts'
import type { Labels } from '../../api/label-requirement.ts'
import type { KubeObject } from '../../api/object.ts'
import { validateAnnotations } from '../../api/object-meta.ts'
import { bodyTypeError } from '../registry/body-type-errors.ts'

const group = 'apiextensions.k8s.io'
const understood = ['v1', 'v1beta1']

export interface ConversionReview {
  readonly uid: string
  /** The first version in the webhook's list that this server supports: `apiextensions.k8s.io/v1`. */
  readonly apiVersion: string
  readonly body: JsonObject
}

/** Throws if the webhook supports none of our review versions. */
export function buildConversionReview(
  known: readonly string[],
  uid: string,
  objects: readonly KubeObject[],
  desiredAPIVersion: string,
): ConversionReview {
  const version = known.find((each) => understood.includes(each))
  if (version === undefined) throw new Error('no supported conversion review versions')
  const apiVersion = `${group}/${version}`
  return {
    uid,
    apiVersion,
    body: {
      kind: 'ConversionReview',
      apiVersion,
      request: { uid, desiredAPIVersion, objects: objects as unknown as Json[] },
    },
  }
}

/** The converted objects in the response of a webhook. Throws an Error that says what is wrong with the response. */
export function convertedObjects(
  originals: readonly KubeObject[],
  body: FrozenJson,
  review: ConversionReview,
  apiVersion: string,
): readonly KubeObject[] {
  const about = groupVersionKindText(originals[0] as KubeObject)
  let answered: readonly Json[]
  try {
    answered = answeredObjects(body, review)
  } catch (error) {
    throw new Error(callFailure(about, error), { cause: error })
  }
  if (answered.length !== originals.length) {
    throw new Error(`conversion webhook for ${about} returned ${answered.length} objects, expected ${originals.length}`)
  }
  return originals.map((original, index) => checkedObject(original, answered[index], apiVersion))
}

export function callFailure(about: string, error: unknown): string {
  return `conversion webhook for ${about} failed: ${(error as Error).message}`
}

function answeredObjects(body: FrozenJson, { uid, apiVersion }: ConversionReview): readonly Json[] {
  if (!isObject(body)) throw new Error(bodyTypeError(body as Json))
  const type = { apiVersion: text(body, 'apiVersion'), kind: text(body, 'kind') }
  if (type.kind === '') throw new Error(`Object 'Kind' is missing in '${JSON.stringify(body)}'`)
  if (type.kind !== 'ConversionReview' || !understood.some((each) => type.apiVersion === `${group}/${each}`)) {
    throw new Error(
      `no kind ${goQuote(type.kind)} is registered for version ${goQuote(type.apiVersion)} in scheme ` +
        '"pkg/runtime/scheme.go:111"',
    )
  }
  const isStrict = apiVersion === `${group}/v1`
  if (isStrict && type.apiVersion !== apiVersion) {
    throw new Error(
      `expected webhook response of ${apiVersion}, Kind=ConversionReview, got ${type.apiVersion}, Kind=${type.kind}`,
    )
  }
  const { response } = body
  if (!isObject(response)) throw new Error('no response provided')
  if (isStrict && response['uid'] !== uid)
    throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(text(response, 'uid'))}`)
  const result = isObject(response['result']) ? response['result'] : {}
  const status = text(result, 'status')
  if (status !== 'Success') {
    const message = text(result, 'message')
    throw new Error(message === '' ? `response.result.status was '${status}', not 'Success'` : message)
  }
  return Array.isArray(response['convertedObjects']) ? response['convertedObjects'] : []
}

/**
 * One converted object, with the metadata of the original except for labels and annotations. Throws if it is not the
 * same object in the requested version.
 */
function checkedObject(original: KubeObject, given: Json | undefined, apiVersion: string): KubeObject {
  const about = groupVersionKindText(original)
  if (given === undefined || given === null) throw new Error('unexpected end of JSON input')
  if (!isObject(given))
    throw new Error(
      `json: cannot unmarshal ${jsonTypeName(given)} into Go value of type struct { Items json.RawMessage }`,
    )
  const kind = text(given, 'kind')
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${JSON.stringify(given)}'`)
  const invalid = (why: string) => new Error(`conversion webhook for ${about} returned invalid object${why}`)
  if (given['apiVersion'] !== apiVersion)
    throw invalid(` at index 0: invalid groupVersion (expected ${apiVersion}, received ${text(given, 'apiVersion')})`)
  if (kind !== original.kind) throw invalid(` at index 0: invalid kind (expected ${original.kind}, received ${kind})`)
  const metadata = getOwn(given, 'metadata')
  for (const [field, name] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [was, is] = [original.metadata[field] ?? '', isObject(metadata) ? text(metadata, field) : '']
    if (was !== is) throw invalid(`: must have the same ${name}: ${was} != ${is}`)
  }
  try {
    return { ...given, metadata: keptMetadata(original, metadata) }
  } catch (error) {
    throw new Error(`conversion webhook for ${about} returned invalid metadata: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** `sea.io/v1, Kind=Boat` */
export function groupVersionKindText({ apiVersion, kind }: KubeObject): string {
  return `${apiVersion ?? ''}, Kind=${kind ?? ''}`
}

function keptMetadata(original: KubeObject, given: Json | undefined): KubeObject['metadata'] {
  if (given === undefined) throw new Error('missing metadata in converted object')
  if (!isObject(given)) throw new Error(`invalid metadata of type ${goType(given)} in converted object`)
  const metadata = { ...original.metadata }
  for (const field of ['labels', 'annotations'] as const) {
    const changed = getOwn(given, field)
    if (changed === undefined || changed === null) {
      delete metadata[field]
      continue
    }
    if (!isObject(changed)) throw new Error(`invalid metadata.${field} of type ${goType(changed)} in converted object`)
    checkTexts(field, changed, original.metadata[field] ?? {})
    metadata[field] = changed as Record<string, string>
  }
  return metadata
}

/** Unchanged labels and annotations are not validated again. */
function checkTexts(field: 'labels' | 'annotations', changed: JsonObject, before: Labels): void {
  const entries = Object.entries(changed)
  for (const [key, value] of entries) {
    if (typeof value !== 'string')
      throw new Error(`metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`)
  }
  if (
    entries.length === Object.keys(before).length &&
    entries.every(([key, value]) => Object.hasOwn(before, key) && before[key] === value)
  )
    return
  const labels = changed as Labels
  const errors =
    field === 'labels' ? validateLabels(labels, 'metadata.labels') : validateAnnotations(labels, 'metadata.annotation')
  const messages = errors.map(fieldErrorMessage)
  if (messages.length > 0) throw new Error(messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`)
}

function text(source: JsonObject, name: string): string {
  const value = getOwn(source, name)
  return typeof value === 'string' ? value : ''
}
