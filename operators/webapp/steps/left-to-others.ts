/**
 * Fields that are left to others: the rules of `drift.ignore`, and the number of replicas under an autoscaler. They are
 * sent once, when the object is made. To stop sending a field that we own would remove it, so it is handed over first:
 * another field manager applies the value that it has now.
 */
import type { ApiObject, Json, JsonObject, Kind, Live } from 'coxswain'
import type { LiveMeta } from 'coxswain/api'
import type { Partially } from 'coxswain/client'
import type { WebApp } from '../schema/webapp.ts'
import type { AppContext } from './context.ts'

export type Path = readonly string[]

/** `metadata.annotations['example.dev/note']` as its names. */
export function parsePath(text: string): Path {
  return [...text.matchAll(/([A-Za-z][A-Za-z0-9]*)|\['([^']+)'\]/g)].map(([, name, key]) => name ?? key ?? '')
}

export function leftToOthers({ spec }: Live<WebApp>, kind: string): readonly Path[] {
  const rules = (spec.drift.ignore ?? [])
    .filter((rule) => rule.kind === kind)
    .flatMap(({ fields }) => fields.map(parsePath))
  return kind === 'Deployment' && spec.autoscaling !== undefined ? [['spec', 'replicas'], ...rules] : rules
}

export function valueAt(object: unknown, path: Path): unknown {
  return path.reduce((value, name) => (value as Partial<Record<string, unknown>> | null | undefined)?.[name], object)
}

export function withoutFields<Object extends object>(object: Object, paths: readonly Path[]): Object {
  return paths.reduce<Object>((rest, path) => removed(rest as JsonObject, path) as Object, object)
}

function removed(object: JsonObject, [name = '', ...rest]: Path): JsonObject {
  const value = object[name]
  if (value === undefined) return object
  const { [name]: _, ...others } = object
  if (rest.length === 0) return others
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...object, [name]: removed(value, rest) }
    : object
}

/** An object with only these fields, each with the value that it has. */
export function onlyFields(object: object, paths: readonly Path[]): JsonObject {
  const part: JsonObject = {}
  for (const path of paths) {
    const value = valueAt(object, path)
    if (value === undefined) continue
    let place = part
    for (const name of path.slice(0, -1)) place = (place[name] ??= {}) as JsonObject
    place[path.at(-1) ?? ''] = value as Json
  }
  return part
}

interface Managed {
  readonly metadata: Pick<LiveMeta, 'managedFields'>
}

/** Whether the manager has applied this field. */
export function applies(object: Managed, manager: string, path: Path): boolean {
  const entry = object.metadata.managedFields?.find((each) => each.manager === manager && each.operation === 'Apply')
  return (
    valueAt(
      entry?.fieldsV1,
      path.map((name) => `f:${name}`),
    ) !== undefined
  )
}

export const releasingManager = 'webapp-released'

/**
 * What is to be sent of `wanted` for an object that exists: others' fields are handed over first where we still have
 * them.
 */
export async function handOver<T extends ApiObject>(
  { object: app, client, signal }: AppContext,
  kind: Kind<T>,
  wanted: Partially<T>,
  existing: Live<T>,
  manager: string,
): Promise<Partially<T>> {
  const paths = leftToOthers(app, kind.kind)
  if (paths.some((path) => applies(existing, manager, path))) {
    const { name, namespace, uid, resourceVersion } = existing.metadata
    const { metadata, ...values } = onlyFields(existing, paths)
    const named = { ...(metadata as JsonObject | undefined), name, namespace, uid, resourceVersion }
    const body = { ...values, apiVersion: kind.apiVersion, kind: kind.kind, metadata: named } as unknown as Partially<T>
    await client.apply(kind, body, { fieldManager: releasingManager, force: true, signal })
  }
  return withoutFields(wanted, paths)
}
