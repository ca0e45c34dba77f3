/**
 * The strategies of built-in kinds: constants from `strategies.ts`, table cells from `cells`, functions from the folder
 * of the kind.
 */
import type { Json, JsonObject } from '../../api/json.ts'
import type { KubeObject, ObjectMeta } from '../../api/object.ts'
import type { Strategy, WriteContext } from '../contract/resource.ts'
import { zeroValue } from '../../shape/builtin-shapes.ts'
import { cells } from './cells/index.ts'
import type { KindStrategy } from './kind-strategy.ts'
import { kinds } from './kinds.ts'
import { struct } from './shared/values.ts'
import { once, resetFieldsOf, strategies, type ListedStrategy } from './strategies.ts'

const known = new Map<string, Strategy>()

/** The strategy of a built-in resource; the defaults if it is not listed. `group` is '' for the core group. */
export function strategyFor(group: string, plural: string): Strategy {
  const name = group === '' ? plural : `${plural}.${group}`
  let rules = known.get(name)
  if (rules === undefined) {
    rules = makeStrategy(name)
    known.set(name, rules)
  }
  return rules
}

function makeStrategy(name: string): Strategy {
  const { generation, status: _status, keepsStatus: _keepsStatus, ...listed } = strategies[name] ?? {}
  const kind: KindStrategy = kinds[name]?.() ?? {}
  return {
    selectableField,
    nameRule: 'subdomain',
    metadataSteps: once,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    deleteReturnsObject: false,
    defaultPropagation: 'Background',
    selectableFields: [],
    ...kind,
    ...listed,
    generation: kind.generation ?? (generation === 'fixed' ? () => false : (generation ?? 'none')),
    resetFields: resetFieldsOf(strategies[name] ?? {}),
    // Lazy, for a fast start: most servers never make a Table.
    get cells() {
      return cells[name]
    },
    ...prepares(strategies[name] ?? {}, kind),
  }
}

/** A create clears the status; a status update restores the metadata that it may not change. */
function prepares(facts: ListedStrategy, kind: KindStrategy): Partial<Strategy> {
  if (facts.status === undefined) return {}
  const own: { -readonly [P in keyof Strategy]?: Strategy[P] } = {}
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
  const metadata = object.metadata as JsonObject
  const before = old.metadata as JsonObject
  for (const field of fields) {
    const value = before[field]
    if (value === undefined) delete metadata[field]
    else metadata[field] = value
  }
}

/** The value at a path as text; '' if it is unset. Kinds with selectable fields that are not paths have a function. */
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
