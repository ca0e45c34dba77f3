/** Pod templates of all workloads: defaults, validation, warnings. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { Json, JsonObject } from '../../../api/json.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import { factOf, isDefaulted } from '../../../api/recurring-part.ts'
import { reject } from './errors.ts'
import { checkLabels } from './label-selector.ts'
import { defaultPodSpec } from './pod-spec/defaults.ts'
import { checkPodSpec } from './pod-spec/validate.ts'
import { podWarnings } from './pod-warnings.ts'
import { entries, items, struct, structOf, text } from './values.ts'
import type { EmptyFields } from '../../../shape/empty-fields.ts'

const maxAnnotationsBytes = 256 * 1024

/** Defaults the template at `parent[name]`. */
export function defaultPodTemplate(parent: JsonObject, name = 'template'): void {
  const template = structOf(parent, name)
  structOf(template, 'metadata')
  const spec = structOf(template, 'spec')
  if (!isDefaulted(spec)) defaultPodSpec(spec)
}

export function checkAnnotations(errors: FieldError[], field: string, annotations: unknown): void {
  let total = 0
  for (const [key, value] of entries(annotations)) {
    reject(errors, field, key, checkQualifiedName(key.toLowerCase()))
    total += Buffer.byteLength(key) + Buffer.byteLength(text(value))
  }
  if (total > maxAnnotationsBytes) errors.push(fieldError.tooLong(field, maxAnnotationsBytes))
}

export function checkPodTemplate(
  errors: FieldError[],
  field: string,
  template: JsonObject,
  empty: EmptyFields | undefined,
): void {
  const metadata = struct(template.metadata)
  const spec = struct(template.spec) ?? {}
  checkLabels(errors, `${field}.labels`, metadata?.labels)
  checkAnnotations(errors, `${field}.annotations`, metadata?.annotations)
  if (factOf(spec, isFine) === true) return
  checkPodSpec(errors, `${field}.spec`, spec, '', false, empty)
  if (items(spec.ephemeralContainers).length > 0) {
    const message = 'ephemeral containers not allowed in pod template'
    errors.push(fieldError.forbidden(`${field}.spec.ephemeralContainers`, message))
  }
}

function isFine(spec: JsonObject): boolean {
  const errors: FieldError[] = []
  checkPodSpec(errors, 'spec', spec, '', false)
  return errors.length === 0 && items(spec.ephemeralContainers).length === 0
}

/** The labels of the template as messages show them. */
export function labelsText(template: JsonObject | undefined, empty: EmptyFields | undefined): Json {
  const metadata = struct(template?.metadata)
  return metadata?.labels ?? empty?.get(metadata, 'labels') ?? null
}

/**
 * Validates a template whose pods run until they are deleted: restartPolicy must be Always, and there is no deadline.
 */
export function checkRunsAlways(errors: FieldError[], field: string, template: JsonObject, kind: string): void {
  const spec = struct(template.spec) ?? {}
  if (spec.restartPolicy !== 'Always') {
    errors.push(fieldError.notSupported(`${field}.spec.restartPolicy`, text(spec.restartPolicy), ['Always']))
  }
  if (spec.activeDeadlineSeconds !== undefined) {
    const message = `activeDeadlineSeconds in ${kind} is not Supported`
    errors.push(fieldError.forbidden(`${field}.spec.activeDeadlineSeconds`, message))
  }
}

export function templateWarnings(template: unknown, path: string): string[] {
  const given = struct(template)
  return given === undefined ? [] : podWarnings(struct(given.spec) ?? {}, struct(given.metadata), `${path}.`)
}

/** The name is used in host names, which must be DNS labels. */
export function nameWarning(name: string, messages: readonly string[]): string[] {
  if (messages.length === 0 || name === '') return []
  const danger = 'this is used in Pod names and hostnames, which can result in surprising behavior'
  return [`metadata.name: ${danger}; a DNS label is recommended: [${messages.join(' ')}]`]
}
