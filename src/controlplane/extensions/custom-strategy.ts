/** The strategy of a custom resource, from its schema, its subresources and its selectable fields. */
import { appendAll } from '../../api/append.ts'
import type { FieldError } from '../../api/field-error.ts'
import { setOwn, type Json, type JsonObject } from '../../api/json.ts'
import { checkQualifiedName } from '../../api/names.ts'
import type { KubeObject } from '../../api/object.ts'
import { limitSteps } from '../../api/step-limit.ts'
import { apiError } from '../../api/status.ts'
import type { Strategy, WriteContext } from '../contract/resource.ts'
import { orderedMetadata } from '../../shape/ordered-metadata.ts'
import { knownPart, type KnownPart } from '../../api/known-part.ts'
import type { CustomColumns } from './columns.ts'
import { goNumber, goQuote } from '../../api/go-format.ts'
import { evaluateJsonPath } from './jsonpath/evaluate.ts'
import { JsonPathError, parseJsonPath, type PathNode } from './jsonpath/parse.ts'
import { newRepeats, scaleErrors, withRules } from '../../structural/object-errors.ts'
import type { ScalePaths } from '../../structural/nested-values.ts'
import type { RuleChecker } from '../../structural/rules/check-rules.ts'
import { Correlation } from '../../structural/correlation.ts'
import { embeddedErrors } from '../../structural/embedded.ts'
import { listTypeErrors } from '../../structural/list-types.ts'
import type { Schema } from '../../structural/schema.ts'
import { isValid, validateValue } from '../../structural/validate.ts'

export interface CustomType {
  readonly group: string
  readonly plural: string
  readonly schema: Schema
  readonly hasStatus: boolean
  readonly scale: ScalePaths | undefined
  /** JSON paths with their leading dot. */
  readonly selectable: readonly string[]
  /** The CRD is being deleted: creates are rejected. */
  readonly terminating: boolean
  readonly printer: CustomColumns
  /** Changes a valid object to the form in which it is read back from storage. */
  readBack(object: KubeObject, context: WriteContext): void
  /** Evaluates the validation rules of the schema; undefined if there are none, or no evaluator. */
  readonly rules: RuleChecker | undefined
}

export function customStrategy(type: CustomType): Strategy {
  const { schema, hasStatus } = type
  const selectable = selectableFields(type.selectable)
  return {
    nameRule: 'subdomain',
    generation: 'spec',
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    deleteReturnsObject: false,
    defaultPropagation: 'Background',
    resetFields: { main: hasStatus ? [['status']] : [], status: [['spec']] },
    selectableFields: [...selectable.keys()],
    selectableField: (object, field) => selectedText(selectable.get(field), object),
    cells: (object, now) => type.printer.cells(object, now),

    admitCreate(object) {
      if (!type.terminating) return
      throw apiError.forbidden(
        { group: type.group, resource: type.plural },
        object.metadata.name ?? '',
        'create not allowed while custom resource definition is terminating',
      )
    },
    prepareForCreate(object) {
      if (hasStatus) delete object['status']
    },
    /** A status update changes nothing else, not even metadata. */
    prepareForStatusUpdate(object, old) {
      const { managedFields } = object.metadata
      object.metadata = orderedMetadata(old.metadata)
      if (managedFields === undefined) delete object.metadata.managedFields
      else object.metadata.managedFields = managedFields
    },
    validate: (object, context) => limitSteps(() => validateCreate(object, type, context)),
    validateUpdate: (object, old, context) => limitSteps(() => validateUpdate(object, old, type, context)),
    validateStatusUpdate: (object, old, context) => limitSteps(() => validateStatusUpdate(object, old, type, context)),
    warnings: finalizerWarnings,
    // Transition rules may reject even a no-op update.
    checksUnchanged: () => schema.below.rules,
  }
}

function validateCreate(object: KubeObject, type: CustomType, context: WriteContext): FieldError[] {
  const { schema } = type
  const content = object
  const errors = validateValue(schema, content)
  appendAll(errors, scaleErrors(content, type.scale, true))
  appendAll(errors, embeddedErrors(content, schema))
  appendAll(errors, listTypeErrors(content, schema))
  if (errors.length === 0) noteValid(content, schema, context)
  const warn = (text: string) => context.warn(text)
  return readBack(object, type, context, withRules(errors, type, content, undefined, warn))
}

function validateUpdate(object: KubeObject, old: KubeObject, type: CustomType, context: WriteContext): FieldError[] {
  const { schema } = type
  const content = object
  const before = old
  const known = validParts(content, before, schema, context)
  const isSound = isValid(schema, content, known)
  const errors = isSound
    ? []
    : validateValue(schema, content, { correlation: new Correlation(content, before, schema) })
  appendAll(errors, scaleErrors(content, type.scale, true))
  appendAll(errors, embeddedErrors(content, schema))
  const repeats = listTypeErrors(content, schema, known)
  if (isSound && repeats.length === 0) noteValid(content, schema, context)
  appendAll(errors, newRepeats(repeats, before, schema))
  const warn = (text: string) => context.warn(text)
  return readBack(object, type, context, withRules(errors, type, content, before, warn))
}

function validateStatusUpdate(
  object: KubeObject,
  old: KubeObject,
  type: CustomType,
  context: WriteContext,
): FieldError[] {
  const { schema } = type
  // Not a change, so not validated. Upstream stores the null, but reads do not return it.
  if (object.status === null && old.status === undefined) {
    delete object.status
    context.needsRewrite = true
  }
  const content = object
  const before = old
  const known = validParts(content, before, schema, context)
  const isSound = isStatusValid(content, schema, known)
  const errors = isSound ? [] : statusErrors(content, schema, new Correlation(content, before, schema))
  appendAll(errors, scaleErrors(content, type.scale, false))
  const repeats = listTypeErrors(content, schema, known)
  if (isSound && repeats.length === 0) noteValid({ status: content['status'] ?? null }, schema, context)
  appendAll(errors, newRepeats(repeats, before, schema))
  const warn = (text: string) => context.warn(text)
  return readBack(object, type, context, withRules(errors, type, content, before, warn))
}

/**
 * The parts of an update that need no validation: parts of the object, or else of the old one, that are known to be
 * valid.
 */
function validParts(object: JsonObject, old: JsonObject, schema: Schema, context: WriteContext): JsonObject {
  const known: JsonObject = {}
  for (const name in object) {
    const part = object[name] as Json
    if (isValidBy(schema, recordOf(part, context))) setOwn(known, name, part)
    else if (isValidBy(schema, recordOf(old[name], context))) setOwn(known, name, old[name] as Json)
  }
  return known
}

function isValidBy(schema: Schema, known: KnownPart | undefined): boolean {
  return known !== undefined && known.isValid && known.schema === schema
}

/** The record of a part of the object, or of the live one. */
function recordOf(part: Json | undefined, { decoded, liveParts }: WriteContext): KnownPart | undefined {
  return knownPart(part, decoded?.parts, liveParts)
}

function noteValid(parts: JsonObject, schema: Schema, context: WriteContext): void {
  for (const name in parts) {
    const known = recordOf(parts[name], context)
    if (known?.schema === schema) known.isValid = true
  }
}

/** A status update is validated against the schema of the status alone. */
function statusErrors(object: JsonObject, schema: Schema, correlation: Correlation): FieldError[] {
  const status = object['status']
  const statusSchema = schema.properties?.get('status')
  if (status === undefined || statusSchema === undefined) return []
  return validateValue(statusSchema, status, { path: 'status', correlation: correlation.key('status') })
}

function isStatusValid(object: JsonObject, schema: Schema, known: JsonObject): boolean {
  const status = object['status']
  const statusSchema = schema.properties?.get('status')
  if (status === undefined || statusSchema === undefined || status === known['status']) return true
  return isValid(statusSchema, status, known['status'])
}

/**
 * Drops values that an apply left and validation accepts, but the schema does not know: a read from storage prunes
 * them.
 */
function readBack(object: KubeObject, type: CustomType, context: WriteContext, errors: FieldError[]): FieldError[] {
  if (errors.length === 0) type.readBack(object, context)
  return errors
}

function selectableFields(paths: readonly string[]): ReadonlyMap<string, readonly PathNode[]> {
  const fields = new Map<string, readonly PathNode[]>()
  for (const path of paths) fields.set(path.replace(/^\./, ''), parseJsonPath(path))
  return fields
}

function selectedText(path: readonly PathNode[] | undefined, object: KubeObject): string {
  if (path === undefined) return ''
  let value: Json | undefined
  try {
    value = evaluateJsonPath(path, object)[0]
  } catch (error) {
    if (error instanceof JsonPathError) return ''
    throw error
  }
  if (typeof value === 'number') return goNumber(value)
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : ''
}

const standardFinalizers = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

/** Warnings about finalizers that this write adds and whose names are not qualified. */
function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  if (object.metadata.finalizers === old?.metadata.finalizers) return []
  const before = new Set(old?.metadata.finalizers)
  const added = [...new Set(object.metadata.finalizers)].filter((finalizer) => !before.has(finalizer)).sort()
  const warnings: string[] = []
  for (const finalizer of added) {
    const about = `metadata.finalizers: ${goQuote(finalizer)}: `
    for (const problem of checkQualifiedName(finalizer)) warnings.push(about + problem)
    if (finalizer.includes('/') || standardFinalizers.has(finalizer)) continue
    const including = finalizer.includes('.') ? ' including a path (/)' : ''
    warnings.push(
      `${about}prefer a domain-qualified finalizer name${including} to avoid accidental conflicts with other ` +
        'finalizer writers',
    )
  }
  return warnings
}
