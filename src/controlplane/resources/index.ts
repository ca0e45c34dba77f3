/**
 * The rules of built-in kinds: strategy facts from one table, cells from another, and what no table can say
 * from the folder of the kind.
 */
import type { Json, JsonObject } from '../../api/json.ts'
import type { KubeObject, ObjectMeta } from '../../api/object.ts'
import type { ResourceRules, WriteContext } from '../contract/resource.ts'
import { zeroValue } from '../../shape/builtin-shapes.ts'
import { cells } from './cells/index.ts'
import type { KindRules } from './kind-rules.ts'
import { kinds } from './kinds.ts'
import { struct } from './shared/values.ts'
import { once, resetFieldsOf, strategies, type StrategyFacts } from './strategies.ts'

const known = new Map<string, ResourceRules>()

/**
 * The rules of a built-in resource; one without facts gets the defaults. `group` is '' for the core group.
 */
export function rulesFor(group: string, plural: string): ResourceRules {
  const name = group === '' ? plural : `${plural}.${group}`
  let rules = known.get(name)
  if (rules === undefined) {
    rules = makeRules(name)
    known.set(name, rules)
  }
  return rules
}

function makeRules(name: string): ResourceRules {
  const facts: StrategyFacts = strategies[name] ?? {}
  const kind: KindRules = kinds[name]?.() ?? {}
  return {
    selectableField,
    ...kind,
    nameRule: facts.name ?? 'subdomain',
    metadataSteps: facts.metadata ?? once,
    generation: kind.generation ?? (facts.generation === 'fixed' ? () => false : (facts.generation ?? 'none')),
    allowCreateOnUpdate: facts.createOnUpdate ?? false,
    allowUnconditionalUpdate: !(facts.needsVersion ?? false),
    deleteReturnsObject: facts.returnsDeleted ?? false,
    defaultPropagation: facts.ignoresDependents === true ? 'None' : facts.orphans === true ? 'Orphan' : 'Background',
    selectableFields: facts.selectable ?? [],
    resetFields: resetFieldsOf(facts),
    // Not before somebody wants a table, for the sake of a quick start.
    get cells() {
      return cells[name]
    },
    ...(facts.startsWithoutGeneration === undefined ? {} : { startsWithoutGeneration: true }),
    ...(facts.opensStatus === undefined ? {} : { opensStatus: true }),
    ...(facts.uncached === undefined ? {} : { uncached: true }),
    ...(facts.errorGroup === undefined ? {} : { errorGroup: facts.errorGroup }),
    ...(facts.deleteWarning === undefined ? {} : { deleteWarning: facts.deleteWarning }),
    ...(facts.deprecation === undefined ? {} : { deprecation: facts.deprecation }),
    ...prepares(facts, kind),
  }
}

/** Status is cleared at creation; a write to it restores the metadata that it may not change. */
function prepares(facts: StrategyFacts, kind: KindRules): Partial<ResourceRules> {
  if (facts.status === undefined) return {}
  const own: { -readonly [P in keyof ResourceRules]?: ResourceRules[P] } = {}
  if (facts.keepsStatus !== true) {
    own.prepareForCreate = (object, context) => {
      clearStatus(object, context)
      kind.prepareForCreate?.(object, context)
    }
  }
  const restored = metadataRestoredOnStatus[facts.status]
  if (restored !== undefined) {
    own.prepareForStatusUpdate = (object, old, context) => {
      restoreMetadata(object, old, restored)
      kind.prepareForStatusUpdate?.(object, old, context)
    }
  }
  return own
}

function clearStatus(object: KubeObject, context: WriteContext): void {
  const shape = context.resource.shape
  const field = shape.type === 'struct' ? shape.fields.get('status') : undefined
  if (field === undefined || field.emit !== 'always') delete object.status
  else object.status = zeroValue(field)
}

const allMetadata = ['labels', 'annotations', 'ownerReferences', 'finalizers', 'deletionTimestamp'] as const

const metadataRestoredOnStatus: Readonly<Record<string, readonly (keyof ObjectMeta)[] | undefined>> = {
  'spec+labels': ['labels'],
  'spec+metadata': allMetadata,
  'spec, keeping metadata': allMetadata,
  pod: ['ownerReferences'],
}

function restoreMetadata(object: KubeObject, old: KubeObject, fields: readonly (keyof ObjectMeta)[]): void {
  const metadata = object.metadata as unknown as JsonObject
  const before = old.metadata as unknown as JsonObject
  for (const field of fields) {
    const value = before[field]
    if (value === undefined) delete metadata[field]
    else metadata[field] = value
  }
}

/**
 * The text of the field at a path: '' when it is unset. Kinds with fields that are no paths say it
 * themselves.
 */
function selectableField(object: KubeObject, field: string): string {
  let value: Json | undefined = object
  for (const part of field.split('.')) {
    const parent = struct(value)
    value = parent !== undefined && Object.hasOwn(parent, part) ? parent[part] : undefined
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

export { scaleOf } from './scale.ts'
export { sharedKind } from './views.ts'
