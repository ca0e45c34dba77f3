/** Every stable resource has a strategy, which handles minimal and hostile objects. */
import { describe, expect, it } from 'vitest'
import { cloneJson, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { columns, optionalVersions } from '../../facts/facts.ts'
import { builtinResources } from '../registry/builtin-resources.ts'
import type { Resource, WriteContext } from '../contract/resource.ts'
import { kinds } from './kinds.ts'
import { strategyFor, scaleOf } from './index.ts'
import { strategies } from './strategies.ts'

const resources = builtinResources({ strategyFor, scaleOf }, Object.keys(optionalVersions()))
const nameOf = ({ group, plural }: Resource) => (group === '' ? plural : `${plural}.${group}`)
const stored = resources.filter(({ verbs }) => verbs.includes('get'))
const named = stored.map((resource) => [`${nameOf(resource)}/${resource.version}`, resource] as const)

function resourceOf(plural: string): Resource {
  const found = resources.find((resource) => resource.plural === plural)
  if (found === undefined) throw new Error(`no resource ${plural}`)
  return found
}

function defaulted(resource: Resource, value: JsonObject): KubeObject {
  const { object } = resource.decode({ apiVersion: 'v1', kind: resource.kind, ...value })
  resource.strategy.default?.(object)
  return object
}

describe('the table of strategies', () => {
  it('the table of strategies has a row for every resource that can be stored, and no other', () => {
    const expected = new Set(stored.map(nameOf))
    expect([...expected].filter((name) => !Object.hasOwn(strategies, name))).toEqual([])
    const known = new Set(resources.map(nameOf))
    expect(Object.keys(strategies).filter((name) => !known.has(name))).toEqual([])
    expect(Object.keys(kinds).filter((name) => !known.has(name))).toEqual([])
  })

  it.each([
    ['', 'services', { nameRule: 'label1035', allowCreateOnUpdate: true, deleteReturnsObject: true }],
    ['', 'configmaps', { nameRule: 'subdomain', generation: 'none', allowUnconditionalUpdate: true }],
    ['apps', 'replicasets', { generation: 'spec', defaultPropagation: 'Background' }],
    ['batch', 'jobs', { generation: 'spec', defaultPropagation: 'Orphan' }],
    ['batch', 'cronjobs', { defaultPropagation: 'Background' }],
    ['coordination.k8s.io', 'leases', { allowCreateOnUpdate: true, allowUnconditionalUpdate: false }],
    ['rbac.authorization.k8s.io', 'roles', { nameRule: 'pathSegment', allowCreateOnUpdate: true }],
    ['no.such.group', 'things', { nameRule: 'subdomain', generation: 'none', selectableFields: [] }],
  ] as const)('the table of strategies: %s %s', (group, plural, expected) => {
    expect(strategyFor(group, plural)).toMatchObject(expected)
    expect(strategyFor(group, plural)).toBe(strategyFor(group, plural))
  })

  it('annotations of Deployments and labels of EndpointSlices count for the generation', () => {
    const { generation: ofDeployment } = strategyFor('apps', 'deployments')
    const { generation: ofSlice } = strategyFor('discovery.k8s.io', 'endpointslices')
    const plain: KubeObject = { metadata: {}, spec: {} }
    if (typeof ofDeployment !== 'function' || typeof ofSlice !== 'function') throw new Error('not functions')
    const annotated = { ...plain, metadata: { annotations: { a: 'b' } } }
    const labelled = { ...plain, metadata: { labels: { a: 'b' } } }
    const context = {} as WriteContext
    expect([ofDeployment(annotated, plain, context), ofDeployment(labelled, plain, context)]).toEqual([true, false])
    expect([ofSlice(annotated, plain, context), ofSlice(labelled, plain, context)]).toEqual([false, true])
  })
})

describe('status', () => {
  const context = (resource: Resource) => ({ resource }) as WriteContext

  it('the status is cleared when an object is created', () => {
    const resource = resourceOf('ingresses')
    const ingress = { status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } } }
    const object = defaulted(resource, { metadata: { name: 'x' }, ...ingress })
    resource.strategy.prepareForCreate?.(object, context(resource))
    expect(object.status).toEqual({ loadBalancer: {} })
  })

  it('the status cannot be the way to change labels of a deployment', () => {
    const resource = resourceOf('deployments')
    const old: KubeObject = { metadata: { labels: { a: 'old' }, annotations: { a: 'old' } } }
    const object: KubeObject = { metadata: { labels: { a: 'new' }, annotations: { a: 'new' } } }
    resource.strategy.prepareForStatusUpdate?.(object, old, context(resource))
    expect(object.metadata).toEqual({ labels: { a: 'old' }, annotations: { a: 'new' } })
  })
})

describe.each(named)('%s', (_, resource) => {
  it('has as many cells as columns', () => {
    const expected = columns()[`${resource.group}/${resource.version}/${resource.plural}`]
    const cells = resource.strategy.cells?.(defaulted(resource, { metadata: { name: 'x' } }), 0)
    if (cells === undefined || resource.plural === 'ipaddresses') return
    expect(cells).toHaveLength(expected?.length ?? resource.columns.length)
  })

  it('fills defaults once', () => {
    const once = defaulted(resource, { metadata: { name: 'x' }, spec: {} })
    const twice = cloneJson(once)
    resource.strategy.default?.(twice)
    expect(twice).toEqual(once)
  })

  it('shows the value of every field that can be selected', () => {
    const object = defaulted(resource, { metadata: { name: 'x' } })
    for (const field of resource.strategy.selectableFields) {
      expect(typeof resource.strategy.selectableField?.(object, field)).toBe('string')
    }
  })
})

describe('hostile keys', () => {
  const evil = JSON.parse('{"__proto__":"YQ==","constructor":"Yg==","toString":"Yw==","valueOf":"ZA=="}') as JsonObject
  const quantities = JSON.parse('{"__proto__":"1","constructor":"2","cpu":"1"}') as JsonObject
  const pod = {
    containers: [{ name: '__proto__', image: 'i', resources: { limits: quantities, requests: quantities } }],
    nodeSelector: evil,
    volumes: [{ name: 'constructor', emptyDir: {} }],
  }
  const context = { lookup: () => undefined, lookupAll: () => [] } as unknown as WriteContext

  it.each([
    ['configmaps', { data: evil, binaryData: evil }],
    ['secrets', { data: evil, stringData: evil }],
    ['pods', { spec: pod }],
    ['deployments', { spec: { selector: { matchLabels: evil }, template: { metadata: { labels: evil }, spec: pod } } }],
    ['services', { spec: { selector: evil, ports: [{ name: '__proto__', port: 1 }] } }],
    ['resourcequotas', { spec: { hard: quantities } }],
    ['limitranges', { spec: { limits: [{ type: 'Container', max: quantities, default: quantities }] } }],
    ['storageclasses', { parameters: evil }],
    ['networkpolicies', { spec: { podSelector: { matchLabels: evil } } }],
  ] as const)('hostile keys: %s', (plural, value) => {
    const resource = resourceOf(plural)
    const before = Object.getOwnPropertyNames(Object.prototype)
    const { object } = resource.decode({
      apiVersion: 'v1',
      kind: resource.kind,
      metadata: { name: 'x', labels: evil, annotations: evil },
      ...cloneJson(value as JsonObject),
    })
    resource.strategy.default?.(object)
    const { strategy } = resource
    expect(Array.isArray(strategy.validate?.(object, context) ?? [])).toBe(true)
    expect(Array.isArray(strategy.warnings?.(object, undefined) ?? [])).toBe(true)
    expect(Array.isArray(strategy.cells?.(object, 0) ?? [])).toBe(true)
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
  })
})
