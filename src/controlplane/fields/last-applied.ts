/**
 * Migration from client-side to server-side apply. Concerns only applies by the manager `kubectl`: they do not conflict
 * on fields that the last-applied annotation still matches, and they keep the annotation up to date for going back.
 */
import { getOwn, isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { configurationFields } from './configuration-fields.ts'
import { compareFields } from './compare.ts'
import type { TrackContext } from './context.ts'
import { difference, isEmpty, type FieldSet } from './field-set.ts'
import { goJson } from '../../api/go-json.ts'
import type { Conflict } from './change-effect.ts'
import { validateTyped } from './validate.ts'

export const lastAppliedManager = 'kubectl'
const annotation = 'kubectl.kubernetes.io/last-applied-configuration'

/** For keys and values of all annotations together. */
const maxAnnotationsBytes = 256 * 1024

/**
 * The conflicts that remain after the last-applied annotation; all of them if it is missing or invalid. It resolves
 * those on fields that it names and whose values are still the same.
 */
export function remainingConflicts(
  conflicts: readonly Conflict[],
  live: KubeObject,
  context: TrackContext,
): readonly Conflict[] {
  const excused = conflictFreeFields(live, context)
  if (excused === undefined) return conflicts
  const rest: Conflict[] = []
  for (const { owner, fields } of conflicts) {
    const left = difference(fields, excused)
    if (!isEmpty(left)) rest.push({ owner, fields: left })
  }
  return rest
}

function conflictFreeFields(live: KubeObject, context: TrackContext): FieldSet | undefined {
  const { shape } = context
  const object = live
  const text = annotationOf(live)
  if (text === undefined || validateTyped(shape, object) !== undefined) return undefined
  const applied = parseObject(text)
  if (applied === undefined || validateTyped(shape, applied) !== undefined) return undefined
  if (getOwn(applied, 'apiVersion') !== context.apiVersion) return undefined
  if (getOwn(applied, 'kind') !== context.kind) return undefined
  const { added, modified, removed } = compareFields(shape, applied, object)
  return difference(difference(difference(configurationFields(shape, applied), modified), added), removed)
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function annotationOf(object: KubeObject): string | undefined {
  const annotations = object.metadata.annotations as JsonObject | undefined
  const text = annotations === undefined ? undefined : getOwn(annotations, annotation)
  return typeof text === 'string' && text !== '' ? text : undefined
}

/**
 * The new value of the annotation of the applied object: undefined if it stays, null if it must be removed, because the
 * annotations would become too large.
 */
export function nextLastApplied(object: KubeObject, config: JsonObject): string | null | undefined {
  const present = annotationOf(object)
  if (present === undefined) return undefined
  const text = `${goJson(withoutAnnotation(config))}\n`
  let size = 0
  for (const [key, value] of Object.entries(object.metadata.annotations ?? {})) {
    size += Buffer.byteLength(key) + Buffer.byteLength(key === annotation ? text : value)
  }
  if (size > maxAnnotationsBytes) return null
  return text === present ? undefined : text
}

/** Sets or removes the annotation, in place. The map of annotations is copied, since it may be shared. */
export function setLastApplied(object: KubeObject, text: string | null): void {
  if (object.metadata.annotations === undefined) return
  const annotations = { ...object.metadata.annotations }
  object.metadata.annotations = annotations
  if (text !== null) annotations[annotation] = text
  else {
    delete annotations[annotation]
    if (Object.keys(annotations).length === 0) delete object.metadata.annotations
  }
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const metadata = getOwn(config, 'metadata')
  if (!isObject(metadata)) return config
  const { annotations, ...rest } = metadata
  if (!isObject(annotations)) return { ...config, metadata: rest }
  const { [annotation]: _, ...others } = annotations
  return { ...config, metadata: { ...rest, annotations: others } }
}
