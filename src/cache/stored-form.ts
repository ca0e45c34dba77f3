/**
 * The stored form of a kind's objects: with type, without `managedFields`, projected, transformed, frozen. Made once
 * for each version; readers and handlers share it, and successive versions share equal parts.
 */
import { cloneJson, setOwn, type Json, type JsonObject } from '../api/json.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import type { Kind } from '../schema/kind.ts'
import type { InformerOptions } from './cache.ts'
import { FieldSets, type CachedManager } from './field-sets.ts'
import type { InternedText } from './interned-text.ts'
import { takeUnchangedParts } from './unchanged-parts.ts'

/** `last`: the stored version of the same object, if there is one. */
export type StoredForm<T extends ApiObject> = (object: Live<T>, last?: Live<T>) => Live<T>

/** The fields that may be changed: the same object, before other code sees it. */
interface Draft {
  apiVersion?: string
  kind?: string
  metadata: Record<string, unknown>
}

export interface FormOptions<T extends ApiObject> extends Pick<
  InformerOptions<T>,
  'projection' | 'transform' | 'keepManagedFields'
> {
  readonly texts: InternedText
  /** Called with errors of `transform`; the object is then stored untransformed. */
  readonly failed: (error: unknown) => void
}

export function storedForm<T extends ApiObject>(kind: Kind<T>, options: FormOptions<T>): StoredForm<T> {
  const { texts, transform, failed, projection = 'full', keepManagedFields = false } = options

  const transformed = (draft: Draft): Draft => {
    if (transform === undefined) return draft
    try {
      const own = (Object.isFrozen(draft) ? cloneJson(draft as unknown as Json) : draft) as unknown as T
      return transform(own)
    } catch (error) {
      failed(error)
      return draft
    }
  }

  const fieldSets = new FieldSets()

  return (object, last) => {
    let draft = object as unknown as Draft
    const isTyped = draft.apiVersion === kind.apiVersion && draft.kind === kind.kind
    const isLean = keepManagedFields === true || draft.metadata['managedFields'] === undefined
    const lean = keepManagedFields === 'applied' ? withAppliersOnly : withoutManagers
    if (projection === 'metadata') {
      draft = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: isLean ? draft.metadata : lean(draft.metadata) }
    } else if (!isTyped) {
      draft = {
        ...draft,
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        metadata: isLean ? draft.metadata : lean(draft.metadata),
      }
    } else if (!isLean) {
      if (Object.isFrozen(draft)) draft = { ...draft, metadata: lean(draft.metadata) }
      else draft.metadata = lean(draft.metadata)
    }
    draft = transformed(draft)
    if (Object.isFrozen(draft)) return draft as unknown as Live<T>
    if (last !== undefined) takeUnchangedParts(draft, last)
    if (keepManagedFields === 'applied') fieldSets.share(draft.metadata['managedFields'])
    texts.freeze(draft)
    return draft as unknown as Live<T>
  }
}

/** Not `delete`, which would make the object slower and larger. */
function withoutManagers(metadata: Record<string, unknown>): Record<string, unknown> {
  const copy: JsonObject = {}
  for (const field in metadata) if (field !== 'managedFields') setOwn(copy, field, metadata[field] as Json)
  return copy
}

function withAppliersOnly(metadata: Record<string, unknown>): Record<string, unknown> {
  const managers = metadata['managedFields'] as readonly CachedManager[]
  return {
    ...metadata,
    managedFields: managers.filter(({ operation, subresource }) => operation === 'Apply' && subresource === undefined),
  }
}
