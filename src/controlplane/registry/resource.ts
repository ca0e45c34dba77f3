/**
 * Resource: everything the registry must know of one served type. Most of it is facts (names, verbs, shape);
 * what no table can say is in {@link ResourceRules}: a few functions per kind, from `resources/KIND` or a CRD.
 */
import type { FieldError } from '../../api/field-error.ts'
import type { Json, JsonObject } from '../../api/json.ts'
import type { NameRule } from '../../api/names.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Env } from '../../env/env.ts'
import type { Shape } from '../shape/shape.ts'

export type { NameRule } from '../../api/names.ts'

export interface Resource {
  /** '' for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly verbs: readonly string[]
  /** Built-ins are decoded into upstream's types; custom resources are pruned by their CRD's schema. */
  readonly builtin: boolean
  readonly shape: Shape
  /** From any JSON to the fresh, canonical, defaulted object. Throws UnmarshalError where a type does not fit. */
  decode(value: JsonObject): Decoded
  /** Ends with a slash: `/registry/configmaps/`, `/registry/ex.io/widgets/`. */
  readonly keyPrefix: string
  readonly subresources: ReadonlyMap<string, Subresource>
  readonly rules: ResourceRules
  /** Present when the resource has a scale subresource. */
  readonly scale?: ScaleAccess
  readonly columns: readonly Column[]
}

export interface Decoded {
  readonly object: KubeObject
  /** Paths that the schema does not know, in the order of the document. */
  readonly unknown: readonly string[]
}

export interface Subresource {
  readonly name: string
  readonly verbs: readonly string[]
  /** The type of the subresource's own bodies: Scale is `autoscaling/v1`, status is the parent's. */
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Where a resource keeps what its autoscaling/v1 Scale shows. */
export interface ScaleAccess {
  /** Of the desired replicas, for field ownership: `['spec', 'replicas']`. */
  readonly path: readonly string[]
  read(object: KubeObject): KubeObject
  /** `object` is fresh and may be changed. */
  write(object: KubeObject, replicas: number): void
}

/** A column of `kubectl get`. `priority` 0 is always shown, 1 only with `-o wide`. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description?: string
  readonly priority: number
}

export interface UserInfo {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** What the rules of a kind may use while a write is under way. */
export interface WriteContext {
  readonly env: Env
  readonly user: UserInfo
  readonly resource: Resource
  readonly namespace: string
  readonly dryRun: boolean
  /** The live object of any resource, by plural name and group; undefined when there is none. */
  lookup(group: string, plural: string, namespace: string, name: string): KubeObject | undefined
  /** All live objects of a resource, in all namespaces when `namespace` is ''. */
  lookupAll(group: string, plural: string, namespace: string): readonly KubeObject[]
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void
}

/**
 * How one kind differs from the rest. All functions get objects that they may change; none may keep them.
 * The order of a write is: decode, default, track fields, admit, prepare, validate, store.
 */
export interface ResourceRules {
  readonly nameRule: NameRule
  /** Fills defaults. Runs on every decoded object; must not change what it has already filled. */
  default?(object: KubeObject): void
  /** Admission that changes what is created, after field ownership was tracked. */
  admitCreate?(object: KubeObject, context: WriteContext): void
  /** Clears or sets what clients may not: status, allocated values. */
  prepareForCreate?(object: KubeObject, context: WriteContext): void
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void
  /** Errors of the type itself; metadata is checked by the registry. */
  validate?(object: KubeObject, context: WriteContext): FieldError[]
  /** Errors of a change, immutable fields among them. Must include what `validate` finds where upstream repeats it. */
  validateUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[]
  /** Restores what a write to /status may not change, beyond everything outside metadata and status. */
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void
  validateStatusUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[]
  warnings?(object: KubeObject, old: KubeObject | undefined): string[]
  /** Warned of on every request to the resource. */
  readonly deprecation?: string
  /**
   * `none`: the kind has no metadata.generation. `spec`: 1 at creation, +1 when anything outside metadata and status changes.
   * A function says itself whether a change counts.
   */
  readonly generation: 'none' | 'spec' | ((object: KubeObject, old: KubeObject) => boolean)
  /** PUT to a missing name creates. */
  readonly allowCreateOnUpdate: boolean
  /** PUT without resourceVersion overwrites. */
  readonly allowUnconditionalUpdate: boolean
  /** A delete answers with the object even when it is gone at once. */
  readonly deleteReturnsObject: boolean
  readonly defaultPropagation: 'Background' | 'Orphan'
  /** Seconds of grace for a delete; `requested` is what the client asked for. Absent: deleted at once. */
  gracePeriod?(object: KubeObject, requested: number | undefined): number
  /** Runs when a delete is accepted for an object that stays for now (finalizers or grace). */
  markDeleting?(object: KubeObject): void
  /** Told to who deletes without saying what shall become of dependents. */
  readonly deleteWarning?: string
  /** Throws an ApiError when the object may not be deleted. */
  checkDelete?(object: KubeObject): void
  /** What holds the object besides metadata.finalizers (a Namespace's spec.finalizers). */
  holdsDeletion?(object: KubeObject): boolean
  /** Field selectors beyond metadata.name and metadata.namespace. */
  readonly selectableFields: readonly string[]
  selectableField?(object: KubeObject, field: string): string
  /** Paths that a write to the main resource, or to a subresource, cannot set, so nobody owns them through it. */
  readonly resetFields: ResetFields
  /** The cells of a table row, one for each column. Absent: name and creation time. */
  cells?(object: KubeObject, now: number): Json[]
}

export interface ResetFields {
  /** Usually `[['status']]`. */
  readonly main: readonly (readonly string[])[]
  /** Usually `[['spec']]` and metadata parts. */
  readonly status: readonly (readonly string[])[]
}
