/**
 * Conversion between the versions of a kind: one is the hub, and each other version declares how it is converted to the
 * hub and back.
 *
 *     export const conversion = converting(WebApp).version(WebAppV1alpha1, {
 *       up: ({ spec }) => ({ spec: { image: spec.picture, replicas: 1 } }),
 *       down: ({ spec }) => ({ spec: { picture: spec.image } }),
 *     })
 */
import { getOwn, isObject, type Json, type JsonObject } from '../api/json.ts'
import type { ApiObject, DeepReadonly } from '../api/live-object.ts'
import type { CustomResourceDefinition } from '../schema/builtin/apiextensions-v1.ts'
import type { Kind } from '../schema/kind.ts'
import { ReviewError, type Reviewed } from './admission-review.ts'

/**
 * An object in another version, without type and metadata, which stay. Labels and annotations may change. Every
 * required field must be present, and may be undefined: the server also converts objects that have only some fields.
 */
export type Converted<T extends ApiObject> = MaybeUndefined<Omit<T, 'metadata' | 'apiVersion' | 'kind'>> & {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
}

type MaybeUndefined<T> = T extends readonly (infer Item)[]
  ? readonly MaybeUndefined<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]: MaybeUndefined<T[Field]> | undefined }
    : T

export interface Conversions<Old extends ApiObject, Hub extends ApiObject> {
  /**
   * To the hub. Information that is lost here is lost when the object is stored: keep it in an annotation if the hub
   * has no field for it.
   */
  up(this: void, object: DeepReadonly<Old>): Converted<Hub>
  down(this: void, object: DeepReadonly<Hub>): Converted<Old>
}

type AnyConversion = (object: never) => object

export interface ConversionWebhook<Hub extends ApiObject = ApiObject> {
  readonly type: 'conversion'
  readonly path: '/convert'
  readonly hub: Kind<Hub> & { readonly crd: CustomResourceDefinition }
  /** Conversions by apiVersion. */
  readonly versions: ReadonlyMap<string, { readonly up: AnyConversion; readonly down: AnyConversion }>
  /** Adds another version, which the CRD of the hub must have among its `versions`. */
  version<Old extends ApiObject>(
    this: void,
    kind: Kind<Old>,
    conversions: Conversions<Old, Hub>,
  ): ConversionWebhook<Hub>
}

export function converting<Hub extends ApiObject>(
  hub: Kind<Hub> & { readonly crd: CustomResourceDefinition },
): ConversionWebhook<Hub> {
  return conversionOf(hub, new Map())
}

function conversionOf<Hub extends ApiObject>(
  hub: ConversionWebhook<Hub>['hub'],
  versions: ConversionWebhook['versions'],
): ConversionWebhook<Hub> {
  return {
    type: 'conversion',
    path: '/convert',
    hub,
    versions,
    version: (kind, { up, down }) =>
      conversionOf(
        hub,
        new Map([...versions, [kind.apiVersion, { up, down } as { up: AnyConversion; down: AnyConversion }]]),
      ),
  }
}

/** Throws for a version without a conversion, or one that the CRD does not have. */
export function checkConversions({ hub, versions }: ConversionWebhook): void {
  const { group, versions: defined } = hub.crd.spec
  const named = defined.map(({ name }) => `${group}/${name}`)
  const missing = named.filter((each) => each !== hub.apiVersion && !versions.has(each))
  if (missing.length > 0)
    throw new Error(
      `${hub.kind} cannot be converted from and to ${missing.join(', ')}: give converting(${hub.kind}) a ` +
        '.version() for each',
    )
  const unknown = [...versions.keys()].filter((each) => !named.includes(each) || each === hub.apiVersion)
  if (unknown.length > 0)
    throw new Error(
      `${hub.kind} has no version ${unknown.join(', ')} beside ${hub.apiVersion}: name it in its versions`,
    )
}

/** Handles a ConversionReview. `all`: the conversions of the program, for all kinds. */
export function answerConversionReview(all: readonly ConversionWebhook[], review: Json): Reviewed {
  const request = isObject(review) ? review['request'] : undefined
  if (!isObject(review) || review['kind'] !== 'ConversionReview' || !isObject(request)) {
    throw new ReviewError('the body is no ConversionReview with a request')
  }
  const answered = (response: JsonObject): JsonObject => ({
    apiVersion: review['apiVersion'] as Json,
    kind: 'ConversionReview',
    response: { uid: request['uid'] as Json, ...response },
  })
  try {
    const objects = (Array.isArray(request['objects']) ? request['objects'] : []) as JsonObject[]
    const convertedObjects = objects.map((object) => converted(all, object, String(request['desiredAPIVersion'])))
    return { code: 200, body: answered({ result: { status: 'Success' }, convertedObjects }) }
  } catch (failure) {
    const message = failure instanceof Error ? failure.message : String(failure)
    return { failure, code: 500, body: answered({ result: { status: 'Failure', message }, convertedObjects: [] }) }
  }
}

function converted(all: readonly ConversionWebhook[], object: JsonObject, wanted: string): JsonObject {
  const from = String(object['apiVersion'])
  if (from === wanted) return object
  const group = wanted.split('/')[0]
  const webhook = all.find(({ hub }) => hub.group === group && hub.kind === object['kind'])
  if (webhook === undefined) throw new Error(`no conversion of ${String(object['kind'])} in ${group} is known`)
  const { hub, versions } = webhook
  const step = (version: string, way: 'up' | 'down', value: JsonObject): JsonObject => {
    const conversions = versions.get(version)
    if (conversions === undefined)
      throw new Error(`${hub.kind} cannot be converted ${way === 'up' ? 'from' : 'to'} ${version}`)
    return withMetadata(value, conversions[way](value as never) as JsonObject, way === 'up' ? hub.apiVersion : version)
  }
  const given = withoutNulls(object)
  const inHub = from === hub.apiVersion ? given : step(from, 'up', given)
  return wanted === hub.apiVersion ? inHub : step(wanted, 'down', inHub)
}

/** A server that prunes the fields that an applier left out converts objects whose spec is null. */
function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, value ?? {}]))
}

function withMetadata(before: JsonObject, after: JsonObject, apiVersion: string): JsonObject {
  const { metadata, ...rest } = JSON.parse(JSON.stringify(after)) as JsonObject
  const given = isObject(metadata) ? metadata : {}
  const changed = Object.fromEntries(
    ['labels', 'annotations'].flatMap((name) => {
      const value = getOwn(given, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
  return {
    ...rest,
    apiVersion,
    kind: before['kind'] as Json,
    metadata: { ...(before['metadata'] as JsonObject), ...changed },
  }
}
