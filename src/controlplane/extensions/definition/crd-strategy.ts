/** The strategy of CustomResourceDefinitions. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { getOwn, isObject, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { limitSteps, StepLimitExceeded } from '../../../api/step-limit.ts'
import type { Strategy } from '../../contract/resource.ts'
import { asObject, objectOf, objectsOf, stringsOf, textOf } from '../../../structural/reading.ts'
import { compileCelRule } from '../../../structural/rules/cel-rules.ts'
import type { RuleCompiler } from '../../../structural/rules/rule-engine.ts'
import { knownFormat } from '../../../structural/formats.ts'
import { isLeaf } from '../../../structural/leaf.ts'
import { markForDeletion } from './deletion.ts'
import { onlyBoundsAreLarge } from './large-numbers.ts'
import { definitionErrors, definitionStatusErrors, definitionUpdateErrors } from './validate.ts'

/** Without a compiler, expressions of validation rules are not checked. */
export function crdRulesWith(compileRule: RuleCompiler | undefined): Strategy {
  return {
    ...baseRules,
    validate: (crd) => limited(crd, () => definitionErrors(crd, compileRule)),
    validateUpdate: (crd, old) => limited(crd, () => definitionUpdateErrors(crd, old, compileRule)),
  }
}

/** Rules and patterns are compiled, and defaults are validated, within the limit for one object. */
function limited(crd: KubeObject, errors: () => FieldError[]): FieldError[] {
  try {
    return limitSteps(errors)
  } catch (error) {
    if (!(error instanceof StepLimitExceeded)) throw error
    const count = objectsOf(asObject(crd['spec']), 'versions').length
    const detail = `${error.message} (try fewer and simpler rules, patterns and defaults)`
    return [fieldError.invalid('spec.versions', count, detail)]
  }
}

const baseRules: Strategy = {
  nameRule: 'subdomain',
  generation: 'spec',
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  deleteReturnsObject: false,
  defaultPropagation: 'Background',
  selectableFields: [],
  resetFields: { main: [['status']], status: [['metadata'], ['spec']] },

  mayRound: onlyBoundsAreLarge,
  // The server itself writes the status of each CRD twice.
  sharesSpec: true,
  default: fillDefaults,
  /** The initial status is empty except for the storage version. */
  prepareForCreate(crd) {
    crd['status'] = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: storageVersion(crd) }
  },
  /** A version that was ever the storage version stays listed until an administrator removes it after a migration. */
  prepareForUpdate(crd) {
    const status = asObject(crd['status'])
    const stored = stringsOf(status, 'storedVersions')
    const added = storageVersion(crd).filter((name) => !stored.includes(name))
    if (added.length > 0) crd['status'] = { ...status, storedVersions: [...stored, ...added] }
  },
  validateStatusUpdate: definitionStatusErrors,
  warnings: formatWarnings,
  /** A CRD is never deleted at once: its objects are deleted first. */
  holdsDeletion: (crd) => crd.metadata.deletionTimestamp === undefined,
  markDeleting(crd) {
    Object.assign(crd, markForDeletion(crd, Date.parse(crd.metadata.deletionTimestamp as string)))
  },
}

export const crdStrategy: Strategy = crdRulesWith(compileCelRule)

function storageVersion(crd: KubeObject): string[] {
  const version = objectsOf(asObject(crd['spec']), 'versions').find((candidate) => candidate['storage'] === true)
  return version === undefined ? [] : [textOf(version, 'name')]
}

function fillDefaults(crd: KubeObject): void {
  const spec = asObject(crd['spec'])
  const names = objectOf(spec, 'names')
  const kind = textOf(names, 'kind')
  if (textOf(names, 'singular') === '' && kind !== '') names['singular'] = kind.toLowerCase()
  if (textOf(names, 'listKind') === '' && kind !== '') names['listKind'] = `${kind}List`
  if (!isObject(getOwn(spec, 'conversion'))) spec['conversion'] = { strategy: 'None' }
  const client = objectOf(objectOf(objectOf(spec, 'conversion'), 'webhook'), 'clientConfig')
  const service = getOwn(client, 'service')
  if (isObject(service) && getOwn(service, 'port') === undefined) service['port'] = 443
  const status = getOwn(crd, 'status')
  if (isObject(status) && stringsOf(status, 'storedVersions').length === 0) {
    status['storedVersions'] = storageVersion(crd)
  }
}

/** String formats that are not validated; for an update only new ones. */
function formatWarnings(crd: KubeObject, old: KubeObject | undefined): string[] {
  const before = old === undefined ? new Set<string>() : unknownFormats(old)
  return [...unknownFormats(crd)]
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`)
}

function unknownFormats(crd: KubeObject): Set<string> {
  const found = new Set<string>()
  for (const version of objectsOf(asObject(crd['spec']), 'versions')) {
    collectFormats(objectOf(objectOf(version, 'schema'), 'openAPIV3Schema'), found)
  }
  return found
}

function collectFormats(schema: JsonObject, found: Set<string>): void {
  const format = textOf(schema, 'format')
  if (format !== '' && textOf(schema, 'type') === 'string' && knownFormat(format) === undefined) found.add(format)
  if (isLeaf(schema)) return
  for (const name of ['items', 'additionalProperties', 'not']) {
    const child = getOwn(schema, name)
    if (isObject(child)) collectFormats(child, found)
  }
  for (const name of ['allOf', 'anyOf', 'oneOf'])
    for (const child of objectsOf(schema, name)) collectFormats(child, found)
  const members = objectOf(schema, 'properties')
  for (const name of Object.keys(members).sort()) collectFormats(asObject(members[name]), found)
}
