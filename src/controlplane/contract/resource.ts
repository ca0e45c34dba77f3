/**
 * Resource: everything that the registry knows of one served type. Most of it is facts (names, verbs, shape). What
 * differs by kind in code is in {@link Strategy}: a few functions, from `resources/KIND` or a CRD.
 */
import type { FieldError } from '../../api/field-error.ts'
import type { Json, JsonObject } from '../../api/json.ts'
import type { KnownParts } from '../../api/known-part.ts'
import type { NameRule } from '../../api/names.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Env } from '../../env/env.ts'
import type { EmptyFields } from '../../shape/empty-fields.ts'
import type { Shape } from '../../shape/shape.ts'
import type { Store } from '../storage/store.ts'
import type { CallExternal } from './external-calls.ts'
import type { RequestAudit } from './request-audit.ts'

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
  /** Built-in kinds are decoded into upstream's types; custom resources are pruned by the schema of their CRD. */
  readonly builtin: boolean
  readonly shape: Shape
  /**
   * From any JSON to a new, canonical, defaulted object. Throws UnmarshalError if a type does not match. `converted`:
   * the value is the result of an apply or a strategic merge, for which upstream has other messages. `live`: the
   * version that the value was made from; equal parts may be shared with the result, frozen.
   */
  decode(value: JsonObject, converted?: boolean, live?: LiveVersion): Decoded
  /**
   * Decodes a body in another version of the same kind. Undefined if the kind has no such version. Absent: there is
   * only one version.
   */
  decodeOther?(value: JsonObject): Decoded | undefined
  /** Decodes the result of an apply. Default: {@link decode}. */
  decodeApplied?(value: JsonObject, live?: LiveVersion): Decoded
  /** Ends with a slash: `/registry/configmaps/`, `/registry/ex.io/widgets/`. */
  readonly keyPrefix: string
  readonly subresources: ReadonlyMap<string, Subresource>
  readonly strategy: Strategy
  /** The group under which objects are stored, if another group serves them too. Default: `group`. */
  readonly storedGroup?: string
  /** Present if objects are stored in a version other than this one. */
  readonly view?: VersionView | undefined
  /** Present if objects are not stored: a read-only store that makes them, on reads, from those of other resources. */
  readonly derived?: (store: Store) => Store
  /** Present, instead of a view, if a webhook converts between the versions. */
  readonly conversion?: VersionConversion | undefined
  /**
   * The object in another served version of the kind, with its shape. Absent if there is none. `ask` makes the external
   * call if a webhook converts.
   */
  convert?(object: KubeObject, apiVersion: string, subresource: string, ask?: CallExternal): ConvertedObject | undefined
  /** Present when the resource has a scale subresource. */
  readonly scale?: ScaleAccess
  readonly columns: readonly Column[]
}

/**
 * Converts between the storage version and another one. Neither function changes its argument; results may share parts
 * of it.
 */
export interface VersionView {
  readonly fromStored: (object: KubeObject) => KubeObject
  /**
   * `fields`: top-level fields in their stored form, which replace the converted ones. With them, a version that has
   * fewer fields than storage does not lose the rest.
   */
  readonly toStored: (object: KubeObject, fields?: JsonObject) => KubeObject
  /** This is the storage version, but stored objects may have been written under an older schema. Default no. */
  readonly isStorageVersion?: boolean
  /** Some defaults are only applied when an object is read back from storage. Default no. */
  readonly rereads?: boolean
}

/** Converts objects to another version, in their order. Rejects with an ApiError. */
export type VersionConverter = (objects: readonly KubeObject[], apiVersion: string) => Promise<readonly KubeObject[]>

/** Conversion by webhook between one version and those in which objects are stored. */
export interface VersionConversion {
  readonly apiVersion: string
  /** The apiVersion in which objects are stored from now on. */
  readonly storage: string
  /** Some defaults are only applied when an object is read back from storage. */
  readonly rereads: boolean
  /**
   * A stored object, pruned and defaulted by the schema of its own version. Throws an ApiError if the kind has no such
   * version.
   */
  read(object: KubeObject): KubeObject
  /** The object in another version, through `ask`. Throws an ApiError if the conversion fails. */
  convert(object: KubeObject, apiVersion: string, ask: CallExternal): KubeObject
  readonly convertAll: VersionConverter
}

/** The object in another version, for field ownership, or why it could not be converted. */
export type ConvertedObject =
  | { readonly problem: string }
  | {
      readonly object: KubeObject
      readonly shape: Shape
      /** The object may have fields that the shape does not declare. */
      readonly unchecked?: boolean
      /** Fields that a write to the subresource does not store. Default: as in the version of the request. */
      readonly resetPaths?: readonly (readonly string[])[]
    }

/**
 * An object of a write, and information about the request that its JSON does not contain. It is passed through the
 * pipeline with the object; strategies read it from their {@link WriteContext}.
 */
export interface Decoded {
  readonly object: KubeObject
  /** Paths of unknown fields, in the order of the document. */
  readonly unknown: readonly string[]
  /** Lists and maps that were sent empty and that decoding dropped. Absent: none. */
  readonly empty?: EmptyFields | undefined
  /** Fields that defaulting filled from other fields: `metadata.labels` of a Job from its template. Absent: none. */
  readonly filled?: ReadonlySet<string> | undefined
  /**
   * The object with atomic lists as they were sent: with quantities in other notations (`1000` for `1k`) and empty
   * lists. Field tracking compares this form, as upstream does: such a list gets a new owner even if the stored value
   * is the same. Absent: the object itself.
   */
  readonly asSent?: (() => KubeObject) | undefined
  /** The object may have values that its schema drops or defaults when it is read back from storage. Absent: no. */
  readonly lossy?: boolean | undefined
  /** Storage will have more fields than are served; see `needsRewrite` of {@link WriteContext}. Absent: no. */
  readonly needsRewrite?: boolean | undefined
  /** Cached information about parts of the object. Absent: none. */
  readonly parts?: KnownParts | undefined
  /** Spec and status are copies of those of the live object: only metadata differs. Absent: no. */
  readonly sameContent?: boolean | undefined
  /** The object cannot be stored: it is validated, but its fields are not tracked. Absent: not known yet. */
  isTooLarge?: boolean
}

/** The version that a write changes, as decoding and field tracking use it. */
export interface LiveVersion {
  readonly object: KubeObject
  readonly parts?: KnownParts | undefined
  /** A write of the status: the spec of this version is restored afterwards, whatever is sent. */
  readonly restoresSpec?: boolean
}

/** What defaulting may read and record about the object it fills. */
export interface DecodeNotes {
  readonly empty?: EmptyFields | undefined
  filled?: Set<string> | undefined
}

export interface Subresource {
  readonly name: string
  readonly verbs: readonly string[]
  /** The type of the bodies of the subresource: for Scale `autoscaling/v1`, for status that of the parent. */
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** How the autoscaling/v1 Scale of a resource is read and written. */
export interface ScaleAccess {
  /** The path of the desired replicas, for field ownership: `['spec', 'replicas']`. */
  readonly path: readonly string[]
  /** The same path in other versions of the resource, by apiVersion. Empty if a version has no scale. */
  readonly otherPaths?: Readonly<Record<string, readonly string[]>>
  /** `missing`: the replicas if the object has none. Absent: that is an error. */
  read(object: KubeObject, missing?: number): KubeObject
  /** `object` is a fresh copy and may be changed. */
  write(object: KubeObject, replicas: number): void
  /** A write may make objects without the defaults that apply on reads. Absent: no. */
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

/** Checks what the user of a write may grant to others. Rules are as in roles. */
export interface EscalationChecks {
  /** Whether the user may write rights they do not have into this role (verb `escalate`). */
  mayEscalate(): boolean
  /** Whether the user may bind this role, whatever its rules (verb `bind`). */
  mayBind(group: string, plural: string, name: string): boolean
  /** The error message if the user lacks some of these rights. Undefined: they have all of them. */
  rejection(rules: readonly JsonObject[]): string | undefined
  /** Whether the user may read such objects. `*`: all of them. */
  mayRead(verb: 'get' | 'list', group: string, plural: string, namespace: string, name: string): boolean
  /** The plural name of a kind. Undefined if it is not served. */
  readonly resourceOf: (apiVersion: string, kind: string) => string | undefined
}

/** The context of a write for strategies and admission plugins. */
export interface WriteContext {
  readonly env: Env
  readonly user: UserInfo
  readonly resource: Resource
  readonly namespace: string
  /** The subresource that is written. Absent or '' for the main resource. */
  readonly subresource?: string
  readonly dryRun: boolean
  /** The live object of any resource, by group and plural name. Undefined if there is none. */
  lookup(group: string, plural: string, namespace: string, name: string): KubeObject | undefined
  /** All live objects of a resource. An empty `namespace` means all namespaces. */
  lookupAll(group: string, plural: string, namespace: string): readonly KubeObject[]
  /** Adds a `Warning` header to the response. */
  warn(text: string): void
  /** The entry of the request in the audit log. Absent: it has none. */
  readonly audit?: RequestAudit | undefined
  /** The options of the request, such as the field manager and dry run. */
  options(): JsonObject
  /** The result of an external call. If it is not known yet, the request is replayed once it is. */
  readonly askOutside: CallExternal
  /** Escalation checks. Absent: the user may grant everything. */
  readonly grants?: EscalationChecks | undefined
  /** The decoded object of this write, until a webhook replaces it. Absent: nothing was decoded. */
  decoded?: Decoded | undefined
  /** The live object in its storage version, if that is not the version of the request. */
  readonly storedLive?: KubeObject | undefined
  /** Cached information about parts of the live object. */
  readonly liveParts?: KnownParts | undefined
  /**
   * Set by a strategy if upstream stores a different form than it serves: a claim without its phase, a job without its
   * default labels. This update is stored even if it is a no-op, and so is the next one.
   */
  needsRewrite: boolean
  /**
   * Set by a strategy: top-level fields of the stored version that this version cannot represent; see {@link
   * VersionView}.
   */
  storedFields?: JsonObject | undefined
  /** Set by a strategy if this update is a new generation although no stored field shows that. */
  newGeneration: boolean
}

/** A subresource that writes a part of the object with its own rules: `approval`, `resize`. */
export interface SubresourceStrategy {
  /** Restores the fields that are not in this part. */
  prepare(object: KubeObject, old: KubeObject, context: WriteContext): void
  validate(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[]
  /** A change of the spec is a new generation. Default no. */
  readonly countsGeneration?: boolean
  /** Paths that get no owner through it. Default none. */
  readonly resetPaths?: readonly (readonly string[])[]
  /** How its validation checks metadata. Default: as for status. */
  readonly metadataSteps?: readonly MetadataStep[]
}

/**
 * A check of metadata. `full` checks all of it by the name rule of the kind, `change` what must not change; both check
 * that finalizers have a domain. `plain` and `plainChange` are the same without that check, `fullButPrefix` is `full`
 * without the check of generateName. `own` stands for the errors of the kind itself.
 */
export type MetadataStep = 'own' | 'full' | 'fullButPrefix' | 'change' | 'plain' | 'plainChange'

/** A placeholder in the update errors of a kind, for a metadata check that upstream makes between them. */
export interface MetadataMark extends FieldError {
  readonly step: Exclude<MetadataStep, 'own'>
}

export function metadataMark(step: MetadataMark['step']): MetadataMark {
  return { type: 'Invalid', field: 'metadata', summary: '', detail: '', step }
}

/** How the validation of a kind checks metadata, in addition to the checks for all kinds. */
export interface MetadataSteps {
  readonly create: readonly MetadataStep[]
  readonly update: readonly MetadataStep[]
  readonly status: readonly MetadataStep[]
}

/**
 * How one kind differs from the others. All functions get objects that they may change, except for shared parts of pod
 * specs (`api/recurring-part.ts`), and must not retain them. The order of a write is: decode, default, track fields,
 * admit, prepare, validate, store.
 */
export interface Strategy {
  readonly nameRule: NameRule
  /** Default: one `plain` check, as for custom resources. */
  readonly metadataSteps?: MetadataSteps
  /** Whether all its integers beyond 2^53 are floats upstream, which may be rounded. Default: they are refused. */
  mayRound?(value: Json): boolean
  /** Fills in defaults. Runs on every decoded object and must be idempotent. */
  default?(object: KubeObject, notes?: DecodeNotes): void
  /** Throws if objects of this kind cannot be created now. Admission plugins are in `admission/`. */
  admitCreate?(object: KubeObject, context: WriteContext): void
  /**
   * Throws if the user may not grant what the object grants. `old` is undefined for a create. Runs before validation
   * and before the check for conflicts.
   */
  checkGrants?(object: KubeObject, old: KubeObject | undefined, context: WriteContext): void
  /** Clears or sets fields that clients may not set: status, allocated values. */
  prepareForCreate?(object: KubeObject, context: WriteContext): void
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void
  /** Field errors of the kind. The registry validates metadata. */
  validate?(object: KubeObject, context: WriteContext): FieldError[]
  /**
   * Field errors of an update, immutable fields among them. Must include those of `validate` if upstream repeats them.
   */
  validateUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[]
  /**
   * Whether a no-op update passes through the whole pipeline too, because it may be rejected or changed by the rules of
   * the kind. Default no.
   */
  checksUnchanged?(live: KubeObject): boolean
  /**
   * Restores fields that a write to /status may not change. Everything outside of metadata and status is restored
   * already.
   */
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void
  validateStatusUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): FieldError[]
  /** By the name of the subresource. */
  readonly subresources?: Readonly<Record<string, SubresourceStrategy>>
  warnings?(object: KubeObject, old: KubeObject | undefined): string[]
  /** Warnings of a write to /status. Default none. */
  statusWarnings?(object: KubeObject): string[]
  /** The group of the kind in validation errors. Default: its own. */
  readonly errorGroup?: string
  /** A warning for every request to the resource. */
  readonly deprecation?: string
  /**
   * `none`: the kind has no metadata.generation. `spec`: 1 on create, +1 when anything outside of metadata and status
   * changes. A function decides whether a change counts.
   */
  readonly generation: 'none' | 'spec' | ((object: KubeObject, old: KubeObject, context: WriteContext) => boolean)
  /** Generation 1 is set by the first change of the spec, not on create. */
  readonly startsWithoutGeneration?: boolean
  /** PUT to a missing name creates. */
  readonly allowCreateOnUpdate: boolean
  /** PUT without resourceVersion overwrites. */
  readonly allowUnconditionalUpdate: boolean
  /** A delete returns the object even if it is removed at once. */
  readonly deleteReturnsObject: boolean
  /** `None`: deletes never set a finalizer for dependents, whatever the client requests. */
  readonly defaultPropagation: 'Background' | 'Orphan' | 'None'
  /** The grace period of a delete in seconds. `requested` is that of the client. Absent: deleted at once. */
  gracePeriod?(object: KubeObject, requested: number | undefined): number
  /** Called when a delete is accepted but the object remains (finalizers or grace period). */
  markDeleting?(object: KubeObject): void
  /** No function changes a spec that is shared with the live version. `status`: none does in writes of the status. */
  readonly sharesSpec?: boolean | 'status'
  /** Writes to the main resource may change the status too. */
  readonly opensStatus?: boolean
  /** Warning returned for deletes without a propagationPolicy. */
  readonly deleteWarning?: string
  /** Whether something other than metadata.finalizers keeps the object (spec.finalizers of a Namespace). */
  holdsDeletion?(object: KubeObject): boolean
  /** Upstream lists this kind from storage and not from its watch cache, which changes continue tokens. Default no. */
  readonly uncached?: boolean
  /** Field selectors in addition to metadata.name and metadata.namespace. */
  readonly selectableFields: readonly string[]
  selectableField?(object: KubeObject, field: string): string
  /** Paths that a write to the main resource, or to /status, cannot set, so that it does not own them. */
  readonly resetFields: ResetFields
  /**
   * Decorates an object in responses, if it is served differently from how it is stored. Returns the same object if
   * there is nothing to change. Subresources are not decorated.
   */
  readonly shown?: (object: KubeObject) => KubeObject
  /**
   * The object from which tables and metadata-only responses are made, if that is not the object as served. `raw`: the
   * stored version, if it is not the served one.
   */
  tableForm?(object: KubeObject, raw?: KubeObject): KubeObject
  /** The cells of a table row, one for each column. Absent: name and creation time. */
  readonly cells?: ((object: KubeObject, now: number) => Json[]) | undefined
  /** The conditions of a table row. Default: none. */
  rowConditions?(object: KubeObject): JsonObject[] | undefined
}

export interface ResetFields {
  /** Usually `[['status']]`. */
  readonly main: readonly (readonly string[])[]
  /** Usually `[['spec']]` and metadata parts. */
  readonly status: readonly (readonly string[])[]
}
