/** Validation of a CustomResourceDefinition, in upstream's order and words. */
import { appendAll } from '../../../api/append.ts'
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { equalJson, getOwn, type JsonObject } from '../../../api/json.ts'
import { checkSubdomain } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { goQuote } from '../../../api/go-format.ts'
import { goJson } from '../../../api/go-json.ts'
import { asObject, objectOf, stringsOf, textOf } from '../../../structural/reading.ts'
import type { RuleCompiler } from '../../../structural/rules/rule-engine.ts'
import { compileSchema, type Schema } from '../../../structural/schema.ts'
import { approvalErrors } from './approval.ts'
import { conditionIs } from './conditions.ts'
import { conversionErrors } from './conversion-rules.ts'
import { defaultErrors } from './default-rules.ts'
import {
  hasStatus,
  readDefinition,
  type Definition,
  type VersionedFields,
  type DefinitionSchema,
  type ServedDefinitionVersion,
} from './definition.ts'
import { schemaText, setSchemaFields, versionsText } from './internal-text.ts'
import { checkLabelOf, columnErrors, namesErrors, selectableErrors, subresourceErrors } from './section-rules.ts'
import { patternsError } from './pattern-rules.ts'
import { ruleErrors } from './rule-errors.ts'
import { schemaErrors } from './schema-rules.ts'
import { structuralErrors, unsupportedPart } from './structural-rules.ts'

/** Errors of a new CRD, except for most of its metadata; the check of its name is included. */
export function definitionErrors(crd: KubeObject, compileRule?: RuleCompiler): FieldError[] {
  const definition = readDefinition(crd)
  return [
    ...nameErrors(crd, definition),
    ...specErrors(definition, compileRule, noVersions),
    ...statusErrors(crd),
    ...storedVersionErrors(crd, definition),
    ...approvalErrors(crd, undefined),
    ...preserveErrors(definition, undefined),
  ]
}

/** Errors of an updated CRD. Scope and kind are immutable once it is established; group and plural always. */
export function definitionUpdateErrors(crd: KubeObject, old: KubeObject, compileRule?: RuleCompiler): FieldError[] {
  const definition = readDefinition(crd)
  const before = readDefinition(old)
  const errors = specErrors(definition, compileRule, unchangedVersions(definition, before))
  if (conditionIs(old, 'Established', 'True')) {
    checkImmutable('spec.scope', definition.scope, before.scope, errors)
    checkImmutable('spec.names.kind', textOf(definition.names, 'kind'), textOf(before.names, 'kind'), errors)
  }
  checkImmutable('spec.group', definition.group, before.group, errors)
  checkImmutable('spec.names.plural', textOf(definition.names, 'plural'), textOf(before.names, 'plural'), errors)
  return [
    ...errors,
    ...statusErrors(crd),
    ...storedVersionErrors(crd, definition),
    ...approvalErrors(crd, old),
    ...preserveErrors(definition, before),
  ]
}

export function definitionStatusErrors(crd: KubeObject): FieldError[] {
  return statusErrors(crd)
}

function checkImmutable(field: string, value: string, old: string, errors: FieldError[]): void {
  if (value !== old) errors.push(invalid(field, goQuote(value), 'field is immutable'))
}

function invalid(field: string, shown: string, detail: string): FieldError {
  return { type: 'Invalid', field, summary: `Invalid value: ${shown}`, detail }
}

function nameErrors(crd: KubeObject, definition: Definition): FieldError[] {
  const expected = `${textOf(definition.names, 'plural')}.${definition.group}`
  const { name = '', generateName = '' } = crd.metadata
  return [
    ['metadata.generateName', generateName],
    ['metadata.name', name],
  ]
    .filter(([, given]) => given !== '' && given !== expected)
    .map(([field, given]) =>
      invalid(field as string, goQuote(given as string), 'must be spec.names.plural+"."+spec.group'),
    )
}

const noVersions: ReadonlySet<string> = new Set()

/** The names of versions with unchanged schemas. */
function unchangedVersions(definition: Definition, before: Definition): ReadonlySet<string> {
  const schemaOf = (of: Definition, version: ServedDefinitionVersion) => (version.schema ?? of.schema)?.openAPIV3Schema
  const old = new Map(before.versions.map((version) => [version.name, schemaOf(before, version)]))
  return new Set(
    definition.versions
      .filter((version) => old.has(version.name) && equalJson(old.get(version.name), schemaOf(definition, version)))
      .map((version) => version.name),
  )
}

function specErrors(
  definition: Definition,
  compileRule: RuleCompiler | undefined,
  unchanged: ReadonlySet<string>,
): FieldError[] {
  const path = 'spec'
  const errors: FieldError[] = []
  const schemas = [definition, ...definition.versions].map(({ schema }) => schema?.openAPIV3Schema)
  const tooLarge = patternsError(`${path}.versions`, schemas)
  if (tooLarge !== undefined) return [tooLarge]
  checkGroup(`${path}.group`, definition.group, errors)
  checkScope(`${path}.scope`, definition.scope, errors)
  if (definition.schema?.openAPIV3Schema === undefined) {
    definition.versions.forEach((version, i) => {
      if (version.schema?.openAPIV3Schema !== undefined) return
      errors.push(fieldError.required(`${path}.versions[${i}].schema.openAPIV3Schema`))
    })
  }
  if (definition.preserveUnknownFields && hasDefaults(definition)) {
    errors.push(
      fieldError.invalid(`${path}.preserveUnknownFields`, true, 'must be false in order to use defaults in the schema'),
    )
  }
  checkVersions(`${path}.versions`, definition, compileRule, unchanged, errors)
  for (const name of ['plural', 'singular', 'kind', 'listKind']) {
    if (textOf(definition.names, name) === '') errors.push(fieldError.required(`${path}.names.${name}`))
  }
  appendAll(errors, namesErrors(`${path}.names`, definition.names))
  const anyStatus = hasStatus(definition) || definition.versions.some(hasStatus)
  appendAll(
    errors,
    openApiErrors(
      `${path}.validation`,
      definition.schema,
      anyStatus,
      compileRule,
      unchanged.has(definition.versions[0]?.name ?? ''),
    ),
  )
  appendAll(errors, partErrors(path, definition))
  checkSharedSelectable(path, definition, errors)
  if (definition.preserveUnknownFields && definition.conversion !== undefined) {
    const strategy = textOf(definition.conversion, 'strategy')
    const detail = 'must be None if spec.preserveUnknownFields is true'
    if (strategy !== 'None') errors.push(invalid(`${path}.conversion.strategy`, goQuote(strategy), detail))
  }
  appendAll(errors, conversionErrors(`${path}.conversion`, definition.conversion))
  return errors
}

function checkGroup(field: string, group: string, errors: FieldError[]): void {
  if (group === '') {
    errors.push(fieldError.required(field))
    return
  }
  const problems = checkSubdomain(group)
  if (problems.length > 0) errors.push(invalid(field, goQuote(group), problems.join(',')))
  else if (!group.includes('.')) errors.push(invalid(field, goQuote(group), 'should be a domain with at least one dot'))
}

function checkScope(field: string, scope: string, errors: FieldError[]): void {
  if (scope === '') errors.push(fieldError.required(field))
  else if (scope !== 'Cluster' && scope !== 'Namespaced') {
    errors.push(fieldError.notSupported(field, scope, ['Cluster', 'Namespaced']))
  }
}

function hasDefaults(definition: Definition): boolean {
  return [definition, ...definition.versions].some(
    (parts: VersionedFields) => compileSchema(parts.schema?.openAPIV3Schema).below.defaults,
  )
}

function checkVersions(
  path: string,
  definition: Definition,
  compileRule: RuleCompiler | undefined,
  unchanged: ReadonlySet<string>,
  errors: FieldError[],
): void {
  const { versions } = definition
  const ownSubresources = versions.some((candidate) => candidate.subresources !== undefined)
  versions.forEach((version, i) => {
    const at = `${path}[${i}]`
    checkLabelOf(`${at}.name`, version.name, errors)
    const status = hasStatus(ownSubresources ? version : definition)
    appendAll(errors, versionErrors(at, version, status, compileRule, unchanged.has(version.name)))
  })
  const shown = definition.hasVersions ? versionsText(versions) : 'null'
  if (new Set(versions.map((version) => version.name)).size !== versions.length) {
    errors.push(invalid(path, shown, 'must contain unique version names'))
  }
  if (versions.filter((version) => version.storage).length !== 1) {
    errors.push(invalid(path, shown, 'must have exactly one version marked as storage version'))
  }
  const first = versions[0]?.name ?? ''
  if (first !== '') checkLabelOf('spec.version', first, errors)
}

function versionErrors(
  path: string,
  version: ServedDefinitionVersion,
  status: boolean,
  compileRule: RuleCompiler | undefined,
  unchanged: boolean,
): FieldError[] {
  const errors: FieldError[] = []
  for (const problem of deprecationProblems(version)) {
    errors.push(invalid(`${path}.deprecationWarning`, goJson(version.deprecationWarning ?? null), problem))
  }
  appendAll(errors, openApiErrors(`${path}.schema`, version.schema, status, compileRule, unchanged))
  appendAll(errors, partErrors(path, version))
  if (version.selectableFields.length > 0) {
    const schema = version.schema?.openAPIV3Schema
    if (schema === undefined) {
      const detail = 'may only be set when `version.schema.openAPIV3Schema` is not included'
      errors.push(invalid(`${path}.selectableFields`, '""', detail))
    } else {
      appendAll(errors, selectableIn(path, version.selectableFields, schema))
    }
  }
  return errors
}

function checkSharedSelectable(path: string, definition: Definition, errors: FieldError[]): void {
  if (definition.selectableFields.length === 0) return
  if (definition.schema === undefined) {
    errors.push(invalid(`${path}.selectableFields`, '""', 'may only be set when validations.schema is included'))
  } else {
    appendAll(errors, selectableIn(path, definition.selectableFields, definition.schema.openAPIV3Schema ?? {}))
  }
}

function selectableIn(path: string, fields: readonly JsonObject[], schema: JsonObject): FieldError[] {
  const unsupported = unsupportedPart(schema)
  const errors = unsupported === undefined ? [] : [invalid(`${path}.schema.openAPIV3Schema`, '""', unsupported)]
  return [...errors, ...selectableErrors(`${path}.selectableFields`, fields, compileSchema(schema))]
}

function deprecationProblems({ deprecated, deprecationWarning }: ServedDefinitionVersion): string[] {
  if (deprecationWarning === undefined) return []
  if (!deprecated) return ['can only be set for deprecated versions']
  const problems: string[] = []
  if (Buffer.byteLength(deprecationWarning) > 256) problems.push('must be <= 256 characters long')
  if (deprecationWarning === '') problems.push('must not be an empty string')
  const at = deprecationWarning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u)
  if (at >= 0) {
    const index = Buffer.byteLength(deprecationWarning.slice(0, at))
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`)
  }
  return problems
}

function partErrors(path: string, parts: VersionedFields): FieldError[] {
  return [
    ...subresourceErrors(`${path}.subresources`, parts.subresources),
    ...parts.columns.flatMap((column, i) => columnErrors(`${path}.additionalPrinterColumns[${i}]`, column)),
  ]
}

const allowedAtRoot = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
]

/** Errors of a schema: first of its root, then structure and defaults, then keywords, then expressions. */
function openApiErrors(
  path: string,
  given: DefinitionSchema | undefined,
  status: boolean,
  compileRule: RuleCompiler | undefined,
  unchanged: boolean,
): FieldError[] {
  const schema = given?.openAPIV3Schema
  if (schema === undefined) return []
  const field = `${path}.openAPIV3Schema`
  const errors = status ? rootErrors(field, schema) : []
  if (getOwn(schema, 'nullable') === true) {
    errors.push(fieldError.forbidden(`${field}.nullable`, 'nullable cannot be true at the root'))
  }
  const unsupported = unsupportedPart(schema)
  let isSound = unsupported === undefined
  if (isSound) {
    const structural = structuralErrors(field, schema)
    const found =
      structural.length > 0 ? structural : defaultErrors(field, asResource(compileSchema(schema)), compileRule)
    isSound = found.length === 0
    appendAll(errors, found)
  }
  const ofForm = schemaErrors(field, schema)
  appendAll(errors, ofForm)
  if (isSound && compileRule !== undefined) {
    appendAll(errors, ruleErrors(field, schema, { compile: compileRule, schemaErrors: ofForm, unchanged }))
  }
  if (errors.length === 0 && unsupported !== undefined) errors.push(invalid(field, '""', unsupported))
  return errors
}

/** A default at the root is a whole resource. */
function asResource(schema: Schema): Schema {
  if (schema.default === undefined) return schema
  return { ...schema, embeddedResource: true, below: { ...schema.below, embedded: true } }
}

/** With the status subresource, the root may only have keywords that also work when the status is validated alone. */
function rootErrors(field: string, schema: JsonObject): FieldError[] {
  for (const name of setSchemaFields(schema)) {
    if (name === 'Type') {
      const type = textOf(schema, 'type')
      if (type === 'object') continue
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
      return [invalid(`${field}.type`, goQuote(type), detail)]
    }
    if (allowedAtRoot.includes(name)) continue
    const detail =
      `only [${allowedAtRoot.join(' ')}] fields are allowed at the root of the schema ` +
      'if the status subresource is enabled'
    return [invalid(field, schemaText(schema), detail)]
  }
  return []
}

function statusErrors(crd: KubeObject): FieldError[] {
  return namesErrors('status.acceptedNames', objectOf(asObject(crd['status']), 'acceptedNames'))
}

function storedVersionErrors(crd: KubeObject, definition: Definition): FieldError[] {
  const stored = stringsOf(asObject(crd['status']), 'storedVersions')
  const field = 'status.storedVersions'
  if (stored.length === 0) return [invalid(field, 'null', 'must have at least one stored version')]
  const errors: FieldError[] = []
  const listed = new Set(stored)
  const shown = goJson(stored)
  for (const version of definition.versions) {
    if (!listed.delete(version.name) && version.storage) {
      errors.push(invalid(field, shown, `must have the storage version ${version.name}`))
    }
  }
  stored.forEach((name, i) => {
    if (!listed.has(name)) return
    errors.push(
      invalid(
        `${field}[${i}]`,
        goQuote(name),
        `missing from spec.versions; ${name} was previously a storage version, and must remain in ` +
          'spec.versions until a ' +
          (`storage migration ensures no data remains persisted in ${name} and removes ${name} from ` +
            'status.storedVersions'),
      ),
    )
  })
  return errors
}

function preserveErrors(definition: Definition, old: Definition | undefined): FieldError[] {
  if (!definition.preserveUnknownFields || old?.preserveUnknownFields === true) return []
  return [
    fieldError.invalid(
      'spec.preserveUnknownFields',
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ),
  ]
}
