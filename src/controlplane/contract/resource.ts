/**
 * Resource: everything the registry must know of one served type. Most of it is facts (names, verbs, shape);
 * what no table can say is in {@link Strategy}: a few functions per kind, from `resources/KIND` or a CRD.
 */
import type { FieldError } from '../../api/field-error.ts'
import type { Json, JsonObject } from '../../api/json.ts'
import type { KnownParts } from '../../api/known-part.ts'
import type { NameRule } from '../../api/names.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Env } from '../../env/env.ts'
import type { EmptyFields } from '../../shape/empty-fields.ts'
import type { Shape } from '../../shape/shape.ts'
import type { CallExternal } from './external-calls.ts'

export type { NameRule } from '../../api/names.ts'

export interface Resource {
  /** '' for the core group. */
  readonly group: string
  readonly version: string
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string
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
  /**
   * From any JSON to the fresh, canonical, defaulted object. Throws UnmarshalError where a type does not fit.
   * `converted`: the value was made by an apply or a strategic merge, of which upstream complains in other words.
   * `live`: the version that the value was made from. What they share may be taken as it is, frozen, into the result.
   */
  decode(value: JsonObject, converted?: boolean, live?: LiveVersion): Decoded
  /**
   * A body that says another version of the same kind; undefined if that is no version of it. Absent: there is none.
   */
  decodeOther?(value: JsonObject): Decoded | undefined
  /** The result of an apply in the form of its type. Default: {@link decode}. */
  decodeApplied?(value: JsonObject, live?: LiveVersion): Decoded
  /** Ends with a slash: `/registry/configmaps/`, `/registry/ex.io/widgets/`. */
  readonly keyPrefix: string
  readonly subresources: ReadonlyMap<string, Subresource>
  readonly strategy: Strategy
  /** The group in whose name objects are stored, where another one serves them too. Default: `group`. */
  readonly storedGroup?: string
  /** Present when objects are stored in another version than this one. */
  readonly view?: VersionView
  /** Present, in place of a view, when a webhook converts between the versions. */
  readonly conversion?: VersionConversion
  /**
   * The object in another version in which the kind is served, with its shape; absent when there is none. `ask`: where
   * somebody outside must be asked for it.
   */
  convert?(object: KubeObject, apiVersion: string, subresource: string, ask?: CallExternal): ConvertedObject | undefined
  /** Present when the resource has a scale subresource. */
  readonly scale?: ScaleAccess
  readonly columns: readonly Column[]
}

/**
 * Between the version that is stored and another one. Neither function changes what it gets; both may share parts of
 * it.
 */
export interface VersionView {
  readonly fromStored: (object: KubeObject) => KubeObject
  /**
   * `fields`: top-level fields in their stored form, which are taken instead of what this version shows of them. A
   * version that shows less than is stored keeps the rest by them.
   */
  readonly toStored: (object: KubeObject, fields?: JsonObject) => KubeObject
  /** Objects are stored in this very version, but may have been written when the schema was another. Default no. */
  readonly isStorageVersion?: boolean
  /** Something is defaulted only when it is read back from storage. Default no. */
  readonly rereads?: boolean
}

/** The objects in another version, in their order. Rejects with an ApiError. */
export type VersionConverter = (objects: readonly KubeObject[], apiVersion: string) => Promise<readonly KubeObject[]>

/** Between one version and those in which objects are stored, by a webhook. */
export interface VersionConversion {
  readonly apiVersion: string
  /** In which objects are stored from now on. */
  readonly storage: string
  /** Something is defaulted only when it is read back from storage. */
  readonly rereads: boolean
  /** What is stored, as the schema of its own version reads it. Throws an ApiError for a version that is none. */
  read(object: KubeObject): KubeObject
  /** In another version, from what `ask` knows. Throws an ApiError when it cannot be had. */
  convert(object: KubeObject, apiVersion: string, ask: CallExternal): KubeObject
  readonly convertAll: VersionConverter
}

/** The object in another version, for field ownership, or why it cannot be had. */
export type ConvertedObject =
  | { readonly problem: string }
  | {
      readonly object: KubeObject
      readonly shape: Shape
      /** The object may have what the shape does not declare. */
      readonly unchecked?: boolean
      /** What a write to the subresource does not store. Default: as in the request's own version. */
      readonly resetPaths?: readonly (readonly string[])[]
    }

/**
 * An object of a write, and what the request said about it that its JSON does not show. It travels through the pipeline
 * together with the object; strategies read it from their {@link WriteContext}.
 */
export interface Decoded {
  readonly object: KubeObject
  /** Paths that the schema does not know, in the order of the document. */
  readonly unknown: readonly string[]
  /** Lists and maps that were sent empty and that decoding left out. Absent: none. */
  readonly empty?: EmptyFields | undefined
  /** Fields that defaulting filled from other fields: `metadata.labels` of a Job from its template. Absent: none. */
  readonly filled?: ReadonlySet<string> | undefined
  /**
   * Makes the object with atomic lists as they were sent: a quantity in another notation (`1000` for `1k`), an empty
   * list for none. Field tracking compares this form, since upstream does: who writes such a list takes it, though it
   * is what was stored. Absent: the object itself.
   */
  readonly asSent?: (() => KubeObject) | undefined
  /** The object may hold what its schema drops or defaults when it is read back from storage. Absent: no. */
  readonly lossy?: boolean | undefined
  /** Storage will hold more than is served; see `needsRewrite` of {@link WriteContext}. Absent: no. */
  readonly needsRewrite?: boolean | undefined
  /** What is known of the parts of the object. Absent: nothing. */
  readonly parts?: KnownParts | undefined
  /** Spec and status are copies of the live object's: only metadata differs. Absent: no. */
  readonly sameContent?: boolean | undefined
}

/** The version that a write changes, as far as decoding and field tracking go by it. */
export interface LiveVersion {
  readonly object: KubeObject
  readonly parts?: KnownParts | undefined
}

/** What defaulting may read and note about the object it fills. */
export interface DecodeNotes {
  readonly empty?: EmptyFields | undefined
  filled?: Set<string> | undefined
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
  /** The same in other versions of the resource, by apiVersion; empty where a version has no scale. */
  readonly otherPaths?: Readonly<Record<string, readonly string[]>>
  /** `orZero`: before a write, an object without replicas counts as one with none; else that is an error. */
  read(object: KubeObject, orZero?: boolean): KubeObject
  /** `object` is fresh and may be changed. */
  write(object: KubeObject, replicas: number): void
  /** A write may make objects without the defaults that are read back. Absent: no. */
  readonly lossy?: boolean
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

/** What the user of a write may give to others. Rules are as roles store them. */
export interface EscalationChecks {
  /** Whether the user may give away what they do not have, by the role that is being written. */
  mayEscalate(): boolean
  /** Whether the user may bind this role, whatever is in it. */
  mayBind(group: string, plural: string, name: string): boolean
  /** Why the user may not give these rights: who, and which are not their own. Undefined: they have all of them. */
  rejection(rules: readonly JsonObject[]): string | undefined
}

/** What the rules of a kind may use while a write is under way. */
export interface WriteContext {
  readonly env: Env
  readonly user: UserInfo
  readonly resource: Resource
  readonly namespace: string
  /** The one that is written; absent or '' for the object itself. */
  readonly subresource?: string
  readonly dryRun: boolean
  /** The live object of any resource, by plural name and group; undefined when there is none. */
  lookup(group: string, plural: string, namespace: string, name: string): KubeObject | undefined
  /** All live objects of a resource, in all namespaces when `namespace` is ''. */
  lookupAll(group: string, plural: string, namespace: string): readonly KubeObject[]
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void
  /** Of the request: who manages the fields, whether it is a dry run. */
  options(): JsonObject
  /** What somebody outside says; the request is run again once that is known. */
  readonly askOutside: CallExternal
  /** What the user may give to others. Absent: everything. */
  readonly grants?: EscalationChecks | undefined
  /** The object of this write as it was decoded, until a webhook replaces it. Absent: nothing was decoded. */
  decoded?: Decoded | undefined
  /** The live object as it is stored, where that is another API version than the request's. */
  readonly storedLive?: KubeObject | undefined
  /** What is known of the parts of the live object. */
  readonly liveParts?: KnownParts | undefined
  /**
   * Set by a strategy when upstream stores another form than it serves: a claim without its phase, a job without the
   * labels it has by default. This update is stored even if it is a no-op, and so is the next one.
   */
  needsRewrite: boolean
  /**
   * Set by a strategy: top-level fields of the stored version that this version cannot say; see {@link VersionView}.
   */
  storedFields?: JsonObject | undefined
  /** Set by a strategy when this update is a new generation, though nothing that is stored says so. */
  newGeneration: boolean
}

/** A subresource through which a part of the object is written by rules of its own: `approval`, `resize`. */
export interface SubresourceStrategy {
  /** Puts back what is not of this part. */
  prepare(object: KubeObject, old: KubeObject, context: WriteContext): void
  validate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[]
  /** A change of the spec is a new generation. Default no. */
  readonly countsGeneration?: boolean
  /** Paths that nobody comes to own through it. Default none. */
  readonly resetPaths?: readonly (readonly string[])[]
  /** How its validation checks metadata. Default: as that of the status. */
  readonly metadataSteps?: readonly MetadataStep[]
}

/**
 * A check of metadata: `full` of all of it by the kind's name rule, `change` of what may not change, and finalizers in
 * both; the plain ones leave the domain of finalizers alone, `fullButPrefix` leaves generateName alone. `own` stands
 * for the kind's own errors.
 */
export type MetadataStep = 'own' | 'full' | 'fullButPrefix' | 'change' | 'plain' | 'plainChange'

/** Stands among a kind's own errors of an update for a check of metadata that upstream makes between them. */
export interface MetadataMark extends FieldError {
  readonly step: Exclude<MetadataStep, 'own'>
}

export function metadataMark(step: MetadataMark['step']): MetadataMark {
  return { type: 'Invalid', field: 'metadata', summary: '', detail: '', step }
}

/** How a kind's own validation checks metadata, beside what is checked for all kinds. */
export interface MetadataSteps {
  readonly create: readonly MetadataStep[]
  readonly update: readonly MetadataStep[]
  readonly status: readonly MetadataStep[]
}

/**
 * How one kind differs from the rest. All functions get objects that they may change, but for what is below a pod's
 * spec (`api/recurring-part.ts`); none may keep them. The order of a write is: decode, default, track fields, admit,
 * prepare, validate, store.
 */
export interface Strategy {
  readonly nameRule: NameRule
  /** Default: once, plainly, as for custom resources. */
  readonly metadataSteps?: MetadataSteps
  /** Fills defaults. Runs on every decoded object; must not change what it has already filled. */
  default?(object: KubeObject, notes?: DecodeNotes): void
  /** Throws when nothing of the kind can be made now. Admission by plugins is in `admission/`. */
  admitCreate?(object: KubeObject, context: WriteContext): void
  /**
   * Throws when the user may not give away what the object gives; `old` is undefined for a creation. Runs before the
   * object is validated and before conflicts are found.
   */
  checkGrants?(object: KubeObject, old: KubeObject | undefined, context: WriteContext): void
  /** Clears or sets what clients may not: status, allocated values. */
  prepareForCreate?(object: KubeObject, context: WriteContext): void
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void
  /** Errors of the type itself; metadata is checked by the registry. */
  validate?(object: KubeObject, context: WriteContext): FieldError[]
  /** Errors of a change, immutable fields among them. Must include what `validate` finds where upstream repeats it. */
  validateUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[]
  /**
   * Whether a write that changes nothing goes all the way, too: it may be refused, or the kind's rules change
   * something. Default no.
   */
  checksUnchanged?(live: KubeObject): boolean
  /** Restores what a write to /status may not change, beyond everything outside metadata and status. */
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void
  validateStatusUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[]
  /** By the name of the subresource. */
  readonly subresources?: Readonly<Record<string, SubresourceStrategy>>
  warnings?(object: KubeObject, old: KubeObject | undefined): string[]
  /** Of a write to /status. Default none. */
  statusWarnings?(object: KubeObject): string[]
  /** The group under which errors of validation name the kind. Default: its own. */
  readonly errorGroup?: string
  /** Warned of on every request to the resource. */
  readonly deprecation?: string
  /**
   * `none`: the kind has no metadata.generation. `spec`: 1 at creation, +1 when anything outside metadata and status
   * changes. A function says itself whether a change counts.
   */
  readonly generation: 'none' | 'spec' | ((object: KubeObject, old: KubeObject, context: WriteContext) => boolean)
  /** The first change of the spec makes generation 1, not the creation. */
  readonly startsWithoutGeneration?: boolean
  /** PUT to a missing name creates. */
  readonly allowCreateOnUpdate: boolean
  /** PUT without resourceVersion overwrites. */
  readonly allowUnconditionalUpdate: boolean
  /** A delete answers with the object even when it is gone at once. */
  readonly deleteReturnsObject: boolean
  /** `None`: dependents are nobody's business, whatever the client says. */
  readonly defaultPropagation: 'Background' | 'Orphan' | 'None'
  /** Seconds of grace for a delete; `requested` is what the client asked for. Absent: deleted at once. */
  gracePeriod?(object: KubeObject, requested: number | undefined): number
  /** Runs when a delete is accepted for an object that stays for now (finalizers or grace). */
  markDeleting?(object: KubeObject): void
  /** The main resource writes the status too. */
  readonly opensStatus?: boolean
  /** Told to who deletes without saying what shall become of dependents. */
  readonly deleteWarning?: string
  /** What holds the object besides metadata.finalizers (a Namespace's spec.finalizers). */
  holdsDeletion?(object: KubeObject): boolean
  /** Upstream lists it from its storage and not from a cache, which shows in continue tokens. Default no. */
  readonly uncached?: boolean
  /** Field selectors beyond metadata.name and metadata.namespace. */
  readonly selectableFields: readonly string[]
  selectableField?(object: KubeObject, field: string): string
  /** Paths that a write to the main resource, or to a subresource, cannot set, so nobody owns them through it. */
  readonly resetFields: ResetFields
  /**
   * What answers show of an object, where that is not what is stored; the same object where it is. Subresources show
   * what is stored.
   */
  readonly shown?: (object: KubeObject) => KubeObject
  /**
   * What a table, or an answer of metadata alone, shows of the object, where that is not the object as it is served.
   * `raw`: the version as it is stored, where that is not the version that is served.
   */
  tableForm?(object: KubeObject, raw?: KubeObject): KubeObject
  /** The cells of a table row, one for each column. Absent: name and creation time. */
  readonly cells?: ((object: KubeObject, now: number) => Json[]) | undefined
  /** What a table row says of its object beside the cells. Default: nothing. */
  rowConditions?(object: KubeObject): JsonObject[] | undefined
}

export interface ResetFields {
  /** Usually `[['status']]`. */
  readonly main: readonly (readonly string[])[]
  /** Usually `[['spec']]` and metadata parts. */
  readonly status: readonly (readonly string[])[]
}
