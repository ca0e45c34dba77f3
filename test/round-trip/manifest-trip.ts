/**
 * Sends the full object of a kind to a server as protobuf of our encoder, and reads it in both encodings. Returns the
 * values to compare; the tests compare them.
 */
import type { Json, JsonObject } from '../../src/api/json.ts'
import { decodeProtobuf, encodeProtobuf } from '../../src/codec/protobuf/protobuf.ts'
import { protobufMessageType } from '../../src/codec/protobuf/kinds.ts'
import { builtinShape } from '../../src/shape/builtin-shapes.ts'
import { decodeTyped } from '../../src/shape/decode.ts'
import type { StructShape } from '../../src/shape/shape.ts'
import { fill } from '../differential/case.ts'
import { manifests, type KindManifests } from '../differential/manifests/index.ts'
import { nameOf, placed, requestsOf } from '../differential/manifests/placed.ts'
import { definition } from './definition.ts'
import { exchange, json, protobuf, type Body, type Exchange, type Server } from './exchange.ts'

export interface Trip {
  readonly name: string
  readonly run: (server: Server) => Promise<TripResult>
}

/** Two values that must be equal. */
export interface Pair<T> {
  readonly expected: T
  readonly got: T
}

export interface TripResult {
  /**
   * A dry run: the JSON response to a JSON body, and the protobuf response to a protobuf body, decoded by our codec.
   */
  readonly created: Pair<Json>
  /** The object in the server's protobuf, decoded by our codec, and in the server's JSON. Undefined after dry runs. */
  readonly read?: Pair<Json>
  /** In hexadecimal: the bytes of the server, and the encoding of the server's JSON by our codec. */
  readonly written: Pair<string>
}

export const trips: readonly Trip[] = [...manifests, definition].map((unplaced, i) => {
  const namespace = `trip-${i}`
  const kind = fill(placed(unplaced) as unknown as JsonObject, { namespace, answers: [] }) as unknown as KindManifests
  const path = fill(requestsOf(kind).path, { namespace, answers: [] })
  return {
    name: `${String(kind.full['apiVersion'])} ${kind.kind}`,
    run: (server) => run(server, kind, path, namespace),
  }
})

async function run(
  server: Server,
  { full, status, tended }: KindManifests,
  path: string,
  namespace: string,
): Promise<TripResult> {
  await answered(
    server,
    'POST',
    '/api/v1/namespaces',
    json,
    jsonBody({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }),
  )
  const body: Body = { type: protobuf, bytes: encodeProtobuf(full) as Uint8Array }
  const asJson = await answered(server, 'POST', `${path}?dryRun=All`, json, jsonBody(full))
  const asProtobuf = await answered(server, 'POST', `${path}?dryRun=All`, protobuf, body)
  const created = {
    expected: withoutChosen(untyped(jsonOf(asJson))),
    got: withoutChosen(canonical(decodeProtobuf(asProtobuf.bytes))),
  }
  if (tended === true) {
    const same = restamped(jsonOf(asJson), decodeProtobuf(asProtobuf.bytes))
    return { created, written: { expected: hex(asProtobuf.bytes), got: hex(encodeProtobuf(same)) } }
  }
  const at = `${path}/${nameOf(full)}`
  await answered(server, 'POST', path, protobuf, body)
  if (status !== undefined)
    await answered(server, 'PATCH', `${at}/status`, json, jsonBody(status, 'application/merge-patch+json'))
  const stored = jsonOf(await answered(server, 'GET', at, json))
  const { bytes } = await answered(server, 'GET', at, protobuf)
  await answered(server, 'DELETE', at, json)
  return {
    created,
    read: { expected: untyped(stored), got: canonical(decodeProtobuf(bytes)) },
    written: { expected: hex(bytes), got: hex(encodeProtobuf(stored)) },
  }
}

const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex')

async function answered(server: Server, method: string, path: string, accept: string, body?: Body): Promise<Exchange> {
  const answer = await exchange(server, method, path, accept, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.bytes.toString('utf8')}`)
  if (!answer.type.startsWith(accept)) throw new Error(`${method} ${path}: ${answer.type} in place of ${accept}`)
  return answer
}

function jsonBody(value: Json, type = json): Body {
  return { type, bytes: Buffer.from(JSON.stringify(value)) }
}

function jsonOf({ bytes }: Exchange): JsonObject {
  return JSON.parse(bytes.toString('utf8')) as JsonObject
}

/** The form of the server's decoder: protobuf has zero values that JSON omits. */
function canonical(object: JsonObject): JsonObject {
  const type = protobufMessageType(String(object['apiVersion']), String(object['kind'])) as string
  return decodeTyped(object, builtinShape(type) as StructShape).object
}

/** Takes over the identity of another dry run, so that only other fields can differ. */
function restamped(object: JsonObject, other: JsonObject): JsonObject {
  const { uid, creationTimestamp, managedFields } = other['metadata'] as JsonObject
  return {
    ...object,
    metadata: { ...(object['metadata'] as JsonObject), uid, creationTimestamp, managedFields } as JsonObject,
  }
}

/** Nested messages have no kind and apiVersion, so the claim templates of a StatefulSet lose theirs. */
function untyped(object: JsonObject): JsonObject {
  const copy = structuredClone(object)
  const { volumeClaimTemplates: claims } = (copy['spec'] ?? {}) as { volumeClaimTemplates?: JsonObject[] }
  for (const claim of claims ?? []) {
    delete claim['kind']
    delete claim['apiVersion']
  }
  return copy
}

/** Removes values that a server chooses for each request: the uid in all places, times, addresses and ports. */
function withoutChosen(object: JsonObject): Json {
  const { uid } = object['metadata'] as { uid?: string }
  const text = JSON.stringify(object)
    .replaceAll(uid ?? 'no uid', 'UID')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
    .replaceAll(/"10\.0\.0\.\d+"/g, '"ADDRESS"')
    .replaceAll(/"((?:healthCheckN|n)odePort)":\d+/g, '"$1":"PORT"')
  return JSON.parse(text) as Json
}
