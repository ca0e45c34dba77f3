import { describe, expect, it } from 'vitest'
import { fieldErrorMessage } from '../../../api/field-error.ts'
import { cloneJson, type Json, type JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { WriteContext } from '../../contract/resource.ts'
import { RuleCompileError } from '../../../structural/rules/rule-engine.ts'
import { crdStrategy, crdRulesWith } from './crd-strategy.ts'

const context = {} as WriteContext

function crd(version: JsonObject = {}, rest: JsonObject = {}): KubeObject {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
    },
  }
  return {
    metadata: { name: 'widgets.ex.io' },
    spec: {
      group: 'ex.io',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema, ...version }],
      ...rest,
    },
  }
}

function created(object: KubeObject): KubeObject {
  crdStrategy.default?.(object)
  crdStrategy.prepareForCreate?.(object, context)
  return object
}

function refused(object: KubeObject): string[] {
  return (crdStrategy.validate?.(created(object), context) ?? []).map(fieldErrorMessage)
}

describe('a CRD', () => {
  it('a CRD gets defaults and an empty status, as recorded', () => {
    const object = created(crd())
    expect(object['spec']).toMatchObject({
      names: { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' },
      conversion: { strategy: 'None' },
    })
    expect(object['status']).toEqual({
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: ['v1'],
    })
    expect(crdStrategy.validate?.(object, context)).toEqual([])
  })

  it('a CRD is validated with few reads of each plain property', () => {
    let reads = 0
    const leaf = new Proxy<JsonObject>(
      { type: 'string', maxLength: 5, default: '' },
      {
        get: (target, name) => {
          reads++
          return Reflect.get(target, name) as Json
        },
      },
    )
    const properties = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, leaf]))
    expect(refused(crd({ schema: { openAPIV3Schema: { type: 'object', properties } } }))).toEqual([])
    // With 25,000 properties, 135 reads of each took a third of a second.
    expect(reads / 100).toBeLessThan(45)
  })

  it('a CRD names a part that all versions share where upstream does', () => {
    const bad = { openAPIV3Schema: { type: 'object', properties: { a: {} } } }
    expect(refused(crd({ schema: bad }))).toEqual([
      'spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified ' +
        'object fields',
    ])
    const object = crd({ schema: bad })
    const versions = (object['spec'] as JsonObject)['versions'] as Json[]
    versions.push({
      ...(versions[0] as JsonObject),
      name: 'v2',
      storage: false,
      schema: { openAPIV3Schema: { type: 'object' } },
    })
    expect(refused(object)).toEqual([
      'spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for ' +
        'specified object fields',
    ])
  })

  it('a CRD must be named after its plural and group', () => {
    const object = crd()
    object.metadata.name = 'other.ex.io'
    expect(refused(object)).toEqual([
      'metadata.name: Invalid value: "other.ex.io": must be spec.names.plural+"."+spec.group',
    ])
  })

  it('a CRD shows versions with Go’s names when they are wrong', () => {
    expect(refused(crd({ storage: false }))).toEqual([
      'spec.versions: Invalid value: ' +
        '[{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,' +
        '"Schema":null,' +
        ('"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly ' +
          'one version marked as storage version'),
      'status.storedVersions: Invalid value: null: must have at least one stored version',
    ])
  })

  it('a CRD must have valid defaults', () => {
    const spec = { type: 'object', default: { a: 1, b: 2 }, properties: { a: { type: 'string' } } }
    const field = 'spec.validation.openAPIV3Schema.properties[spec].default'
    expect(refused(crd({ schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }))).toEqual([
      `${field}: Invalid value: {"a":1,"b":2}: must not have unknown fields`,
      `${field}.a: Invalid value: "integer": a in body must be of type string: "integer"`,
    ])
  })

  it('a CRD keeps what identifies it', () => {
    const old = created(crd())
    ;(old['status'] as JsonObject)['conditions'] = [{ type: 'Established', status: 'True' }]
    const next = cloneJson(old)
    const spec = next['spec'] as JsonObject
    spec['scope'] = 'Cluster'
    ;(spec['names'] as JsonObject)['kind'] = 'Gadget'
    expect(crdStrategy.validateUpdate?.(next, old, context).map(fieldErrorMessage)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Gadget": field is immutable',
    ])
  })

  it('a CRD remembers every storage version', () => {
    const old = created(crd())
    const next = cloneJson(old)
    next['status'] = Object.freeze(old['status'] as JsonObject)
    const versions = (next['spec'] as JsonObject)['versions'] as JsonObject[]
    versions.push({ ...(versions[0] as JsonObject), name: 'v2' })
    ;(versions[0] as JsonObject)['storage'] = false
    crdStrategy.prepareForUpdate?.(next, old, context)
    expect(next['status']).toMatchObject({ storedVersions: ['v1', 'v2'] })
    versions.shift()
    expect(crdStrategy.validateUpdate?.(next, old, context).map(fieldErrorMessage)).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a ' +
        'storage version, and must remain in ' +
        ('spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from ' +
          'status.storedVersions'),
    ])
  })

  it('a CRD warns of formats that nothing checks', () => {
    const spec = { type: 'string', format: 'int32' }
    const object = crd({ schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } })
    expect(crdStrategy.warnings?.(object, undefined)).toEqual(['unrecognized format "int32"'])
    expect(crdStrategy.warnings?.(object, object)).toEqual([])
  })
})

describe('rules in a CRD', () => {
  const spec = (rule: JsonObject, items: JsonObject) => ({
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            'x-kubernetes-validations': [rule],
            properties: { list: { type: 'array', items: { type: 'integer', 'x-kubernetes-validations': [items] } } },
          },
        },
      },
    },
  })
  const rules = crdRulesWith((rule) => {
    if (rule.rule.includes('bad')) throw new RuleCompileError('rule', 'compilation failed: no')
    return { usesOldSelf: rule.rule.includes('oldSelf'), holds: () => true, message: () => undefined }
  })

  it('rules in a CRD must compile, and only use old values that can be found', () => {
    const field = 'spec.validation.openAPIV3Schema.properties[spec]'
    const object = created(crd(spec({ rule: 'bad', optionalOldSelf: true }, { rule: 'self == oldSelf' })))
    expect(rules.validate?.(object, context).map(fieldErrorMessage)).toEqual([
      `${field}.properties[list].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": ` +
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${field}.properties[list]`,
      `${field}.x-kubernetes-validations[0].rule: Invalid value: ` +
        '{"Rule":"bad","Message":"","MessageExpression":"","Reason":null,' +
        '"FieldPath":"","OptionalOldSelf":true}: compilation failed: no',
      `${field}.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf ` +
        'is not used in rule',
    ])
    const unused = created(crd(spec({ rule: 'ok', optionalOldSelf: true }, { rule: 'ok' })))
    expect(rules.validate?.(unused, context).map(fieldErrorMessage)).toEqual([
      `${field}.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf ` +
        'is not used in rule',
    ])
  })
})
