import { describe, expect, it } from 'vitest'
import { fieldErrorMessage } from '../../api/field-error.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Resource, WriteContext } from '../contract/resource.ts'
import { customResources, storageResource, versionDetails } from './custom-resources.ts'

const context = {} as WriteContext
const names = {
  plural: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  listKind: 'WidgetList',
  shortNames: ['wix'],
  categories: ['all'],
}

/** The schema of the recorded widgets. */
const spec = {
  type: 'object',
  required: ['color'],
  properties: {
    color: { type: 'string', enum: ['red', 'blue'] },
    replicas: { type: 'integer', minimum: 0, maximum: 10, default: 1 },
    size: { type: 'string', maxLength: 3, pattern: '^[a-z]+$' },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
      },
    },
    nul: { type: 'string', nullable: true },
  },
  'x-kubernetes-validations': [{ rule: "self.color != 'red' || self.replicas <= 5", message: 'red max 5' }],
}
const status = {
  type: 'object',
  properties: { replicas: { type: 'integer' }, selector: { type: 'string' }, phase: { type: 'string' } },
}
const v1: JsonObject = {
  name: 'v1',
  served: true,
  storage: true,
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  selectableFields: [{ jsonPath: '.spec.color' }],
  additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }],
  schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec, status } } },
}

function crd(versions: JsonObject[] = [v1], conditions: JsonObject[] = []): KubeObject {
  return {
    metadata: { name: 'widgets.ex.io' },
    spec: { group: 'ex.io', scope: 'Namespaced', names, versions },
    status: { acceptedNames: names, conditions },
  }
}

const widgets = customResources(crd())[0] as Resource

it('a version is compiled when it is first used', () => {
  let reads = 0
  const counted = (name: string): JsonObject => ({
    ...v1,
    name,
    storage: name === 'v1',
    schema: {
      get openAPIV3Schema() {
        reads++
        return { type: 'object' }
      },
    },
  })
  const resources = customResources(crd(['v1', 'v2', 'v3'].map(counted)))
  expect(resources.map(({ version, plural }) => `${plural}.${version}`)).toHaveLength(3)
  expect(reads).toBe(0)
  expect(resources[1]?.shape.type).toBe('struct')
  expect(resources[1]?.strategy.nameRule).toBe('subdomain')
  expect(reads).toBe(1)
})

function widget(spec: JsonObject | undefined, rest: JsonObject = {}): KubeObject {
  const body: JsonObject = { apiVersion: 'ex.io/v1', kind: 'Widget', metadata: { name: 'w' }, ...rest }
  if (spec !== undefined) body['spec'] = spec
  return widgets.decode(body).object
}

function refused(object: KubeObject): string[] {
  return (widgets.strategy.validate?.(object, context) ?? []).map(fieldErrorMessage)
}

const unchecked =
  '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; ' +
  'correct the existing errors to complete validation'

describe('a custom resource', () => {
  it('a custom resource is what its CRD says', () => {
    expect(widgets).toMatchObject({
      group: 'ex.io',
      version: 'v1',
      kind: 'Widget',
      listKind: 'WidgetList',
      plural: 'widgets',
      singular: 'widget',
      namespaced: true,
      shortNames: ['wix'],
      categories: ['all'],
      builtin: false,
      keyPrefix: '/registry/ex.io/widgets/',
    })
    expect([...widgets.subresources.keys()]).toEqual(['status', 'scale'])
    expect(widgets.strategy.resetFields).toEqual({ main: [['status']], status: [['spec']] })
    expect(widgets.columns.map((column) => column.name)).toEqual(['Name', 'Color'])
  })

  it('a custom resource is not served before its names are accepted, nor in versions that are not served', () => {
    expect(customResources({ ...crd(), status: {} })).toEqual([])
    expect(customResources(crd([{ ...v1, served: false }]))).toEqual([])
    expect(storageResource(crd([{ ...v1, served: false }]))?.version).toBe('v1')
  })

  it('a custom resource decodes as recorded', () => {
    const { object, unknown } = widgets.decode({
      apiVersion: 'ex.io/v1',
      kind: 'Widget',
      metadata: { name: 'w1' },
      spec: { color: 'blue', unknown: 1, ports: [{ port: 80 }], nul: null },
      status: { phase: 'X' },
    })
    expect(unknown).toEqual(['spec.unknown'])
    expect(object['spec']).toEqual({ color: 'blue', nul: null, ports: [{ port: 80, protocol: 'TCP' }], replicas: 1 })
    widgets.strategy.prepareForCreate?.(object, context)
    expect(Object.keys(object)).toEqual(['apiVersion', 'kind', 'metadata', 'spec'])
  })

  it('a custom resource is validated as recorded', () => {
    expect(
      refused(
        widget({ color: 'green', replicas: 11, size: 'ABCD', tags: ['a', 'a'], ports: [{ port: 1 }, { port: 1 }] }),
      ),
    ).toEqual([
      'spec.color: Unsupported value: "green": supported values: "red", "blue"',
      'spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10',
      'spec.size: Too long: may not be more than 3 bytes',
      'spec.ports[1]: Duplicate value: {"port":1,"protocol":"TCP"}',
      'spec.tags[1]: Duplicate value: "a"',
      unchecked,
    ])
    expect(refused(widget({ color: 1 }))).toEqual([
      'spec.color: Invalid value: "integer": spec.color in body must be of type string: "integer"',
      'spec.color: Unsupported value: 1: supported values: "red", "blue"',
      unchecked,
    ])
    expect(refused(widget(undefined))).toEqual(['spec: Required value', unchecked])
    expect(refused(widget({ color: 'red', ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] }))).toEqual([
      'spec.ports[1]: Duplicate value: {"port":1,"protocol":"TCP"}',
    ])
    expect(refused(widget({ color: 'blue' }))).toEqual([])
  })

  it('a custom resource checks a status alone', () => {
    const old = widget({ color: 'blue' })
    const next = { ...old, status: { replicas: 'x', phase: 1 } }
    expect(widgets.strategy.validateStatusUpdate?.(next, old, context).map(fieldErrorMessage)).toEqual([
      'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
      'status.replicas: Invalid value: "string": replicas in body must be of type integer: "string"',
      '.status.replicas: Invalid value: 0: .status.replicas accessor error: x is of the type string, expected int64',
      unchecked,
    ])
  })

  it('a custom resource selects by its fields', () => {
    expect(widgets.strategy.selectableFields).toEqual(['spec.color'])
    expect(widgets.strategy.selectableField?.(widget({ color: 'blue' }), 'spec.color')).toBe('blue')
    expect(widgets.strategy.selectableField?.(widget({}), 'spec.color')).toBe('')
  })

  it('a custom resource warns of finalizers that could clash', () => {
    const object = widget(
      { color: 'red' },
      { metadata: { name: 'w', finalizers: ['nodomain', 'ex.io', 'ex.io/ok', 'orphan'] } },
    )
    const advice = (extra: string) =>
      `prefer a domain-qualified finalizer name${extra} to avoid accidental conflicts with other finalizer writers`
    expect(widgets.strategy.warnings?.(object, undefined)).toEqual([
      `metadata.finalizers: "ex.io": ${advice(' including a path (/)')}`,
      `metadata.finalizers: "nodomain": ${advice('')}`,
    ])
    expect(widgets.strategy.warnings?.(object, object)).toEqual([])
  })

  it('a custom resource cannot be created while its CRD is going away', () => {
    const [dying] = customResources(crd([v1], [{ type: 'Terminating', status: 'True' }]))
    expect(dying?.verbs).not.toContain('create')
    expect(() => dying?.strategy.admitCreate?.(widget({ color: 'red' }), context)).toThrow(
      'widgets.ex.io "w" is forbidden: create not allowed while custom resource definition is terminating',
    )
    expect(() => widgets.strategy.admitCreate?.(widget({ color: 'red' }), context)).not.toThrow()
  })
})

describe('versions', () => {
  const open = {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { color: { type: 'string' }, extra: { type: 'string', default: 'e' } } },
      },
    },
  }
  const v2 = { name: 'v2', served: true, storage: false, schema: open }

  it('versions of a custom resource prune; only the storage version fills in defaults on reading', () => {
    const [first, second] = customResources(crd([v1, v2]))
    const stored = widget({ color: 'blue' })
    expect(second?.view?.fromStored(stored)).toEqual({ ...stored, apiVersion: 'ex.io/v2', spec: { color: 'blue' } })
    const written = { ...stored, apiVersion: 'ex.io/v2', spec: { color: 'blue', extra: 'e' } }
    expect(second?.view?.toStored(written)).toEqual({ ...stored, spec: { color: 'blue' } })
    expect(first?.view?.toStored(stored)).toBe(stored)
    expect(first?.view?.fromStored(stored)).toEqual(stored)
    expect(first?.view).toMatchObject({ isStorageVersion: true, rereads: false })
    expect(second?.view).toMatchObject({ isStorageVersion: false })
    expect(() => first?.view?.fromStored({ ...stored, apiVersion: 'ex.io/v0' })).toThrow(
      'request to convert CR from an invalid group/version: ex.io/v0',
    )
    expect(versionDetails(crd([v1, v2])).get('v2')).toEqual({
      storageVersion: 'v1',
      schema: open.openAPIV3Schema,
      selectableFields: [],
    })
  })

  it('versions of a custom resource warn when they are deprecated', () => {
    const versions = ['v1beta1', 'v1', 'v2'].map((name) => ({ ...v2, name }))
    const old = { ...v2, name: 'v1alpha1', deprecated: true }
    const warning = (...all: JsonObject[]) => customResources(crd(all))[0]?.strategy.deprecation
    expect(warning(old, ...versions)).toBe('ex.io/v1alpha1 Widget is deprecated; use ex.io/v2 Widget')
    expect(warning(old)).toBe('ex.io/v1alpha1 Widget is deprecated')
    expect(warning({ ...old, deprecationWarning: 'go away' })).toBe('go away')
    expect(warning(v1)).toBeUndefined()
  })
})
