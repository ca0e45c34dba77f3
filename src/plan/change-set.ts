/** The net effect of writes, object by object: created, updated, deleted. Secrets are masked. */
import { equalJson, type Json, type JsonObject } from '../api/json.ts'
import { keyText } from '../api/live-object.ts'
import { fieldDifferences, type FieldDifference } from '../flow/field-changes.ts'
import { masked, withoutSecrets } from '../flow/mask.ts'
import { withoutServerFields, type Manifest } from './manifest.ts'
import type { RecordedWrite } from './write-recorder.ts'

export interface ChangedField {
  /** `spec.template.spec.containers[name=web].image` */
  readonly path: string
  /** Absent: the field did not exist. */
  readonly before?: Json | undefined
  /** Absent: the field no longer exists. */
  readonly after?: Json | undefined
}

export interface PlannedChange {
  readonly action: 'create' | 'update' | 'delete'
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string | undefined
  readonly name: string
  /** For a create: the requested object. */
  readonly manifest?: JsonObject | undefined
  /** For an update, and for a create that is updated afterwards: each field once. */
  readonly fields: readonly ChangedField[]
}

/**
 * In the order of the first write to each object. Status writes are left out: they report, they do not change anything.
 */
export function changeSet(writes: readonly RecordedWrite[]): readonly PlannedChange[] {
  const objects = new Map<string, ObjectChange>()
  for (const write of writes) {
    const object = write.after ?? write.before
    if (write.isStatus || object === undefined) continue
    const {
      apiVersion,
      kind,
      metadata: { namespace, name = '' },
    } = object
    const id = idOf({ apiVersion, kind, namespace, name })
    let change = objects.get(id)
    if (change === undefined) objects.set(id, (change = new ObjectChange(object)))
    change.add(write)
  }
  return [...objects.values()].flatMap((change) => change.result ?? [])
}

export type Identified = Pick<PlannedChange, 'apiVersion' | 'kind' | 'namespace' | 'name'>

export function idOf({ apiVersion, kind, namespace, name }: Identified): string {
  return `${apiVersion} ${kind} ${keyText({ namespace, name })}`
}

class ObjectChange {
  readonly #object: Manifest
  readonly #fields = new Map<string, FieldDifference>()
  /** Before the first write and after the last one, for an object that is not deleted. */
  #first: JsonObject | undefined
  #last: JsonObject | undefined
  /** Somebody else changed it in between. */
  #isShared = false
  #made: JsonObject | undefined
  #isMade = false
  #isGone = false
  #wasThere: boolean | undefined

  constructor(object: Manifest) {
    this.#object = object
  }

  add({ before, after, sent }: RecordedWrite): void {
    // Somebody has already deleted it.
    if (before?.metadata.deletionTimestamp !== undefined) return
    this.#wasThere ??= before !== undefined
    this.#isGone = after?.metadata.deletionTimestamp !== undefined || after === undefined
    if (this.#isGone || after === undefined) return
    if (before === undefined) {
      this.#isMade = true
      this.#made = shownManifest(after, sent)
      this.#fields.clear()
      this.#first = this.#last = undefined
    } else {
      const [old, now] = [withoutServerFields(before), withoutServerFields(after)]
      this.#isShared ||= this.#last !== undefined && !equalJson(this.#last, old)
      this.#first ??= old
      this.#last = now
      for (const difference of fieldDifferences(after.kind, old, now)) this.#merge(difference)
    }
  }

  /** From the first to the last state, if nobody else changed the object. */
  #differences(): readonly FieldDifference[] {
    return this.#isShared ? [...this.#fields.values()] : fieldDifferences(this.#object.kind, this.#first, this.#last)
  }

  /** Undefined if nothing changed in the end. */
  get result(): PlannedChange | undefined {
    const {
      apiVersion,
      kind,
      metadata: { namespace, name = '' },
    } = this.#object
    const about = { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name }
    if (this.#isGone) return this.#wasThere === true ? { action: 'delete', ...about, fields: [] } : undefined
    const fields = this.#differences().map(({ path, before, after, isSecret }) => ({
      path,
      ...shown('before', before, isSecret),
      ...shown('after', after, isSecret),
    }))
    if (this.#isMade)
      return { action: this.#wasThere === true ? 'update' : 'create', ...about, manifest: this.#made, fields }
    return fields.length === 0 ? undefined : { action: 'update', ...about, fields }
  }

  #merge(difference: FieldDifference): void {
    const { path, after } = difference
    const { before } = this.#fields.get(path) ?? difference
    if (equalJson(before, after)) this.#fields.delete(path)
    else this.#fields.set(path, { ...difference, before })
  }
}

function shown(side: 'before' | 'after', value: unknown, isSecret: boolean): Partial<ChangedField> {
  return value === undefined ? {} : { [side]: isSecret ? masked : withoutSecrets(value as Json) }
}

/** The fields that were sent, without those that the server filled in. */
function shownManifest(object: Manifest, sent: JsonObject | undefined): JsonObject {
  const { apiVersion, kind, metadata } = object
  const own = withoutServerFields({
    ...(sent ?? object),
    metadata: { ...(sent?.['metadata'] as object | undefined), name: metadata.name ?? '' },
  })
  const { apiVersion: _version, kind: _kind, metadata: asked, ...rest } = own
  const whole = {
    apiVersion,
    kind,
    metadata: {
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(asked as JsonObject),
    },
    ...rest,
  }
  return withoutSecrets(kind === 'Secret' ? hidden(whole) : whole) as JsonObject
}

function hidden(secret: JsonObject): JsonObject {
  const mask = (values: unknown): JsonObject =>
    Object.fromEntries(Object.keys(values ?? {}).map((name) => [name, masked]))
  return {
    ...secret,
    ...(secret['data'] === undefined ? {} : { data: mask(secret['data']) }),
    ...(secret['stringData'] === undefined ? {} : { stringData: mask(secret['stringData']) }),
  }
}
