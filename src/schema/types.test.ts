/** The TypeScript types of schemas. The compiler checks them: `npm test` type checks this file. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Json } from '../api/json.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import type { ObjectMeta } from '../api/object.ts'
import type { Client } from '../client/client.ts'
import { kind, type DefaultingKind, type InputOf, type Kind, type ObjectOf } from './kind.ts'
import { Pod, type Deployment } from './builtin/kinds.ts'
import { resource, type Infer, type Input } from './resource.ts'
import { t } from './t.ts'
import type { appsV1, coreV1, metaV1 } from '../index.ts'
import type { EmbeddedObject } from './builders.ts'
import type { NumberNode, StringFormat } from './scalar-nodes.ts'

const port = t.object({ name: t.string(), port: t.intOrString(), protocol: t.enum('TCP', 'UDP').default('TCP') })

const spec = t.object({
  image: t.string().minLength(1),
  replicas: t.int().min(0).default(1),
  strategy: t.enum('Recreate', 'RollingUpdate').default('RollingUpdate'),
  pinned: t.literal(true).optional(),
  note: t.string().nullable(),
  ports: t.array(port).mapBy('name').optional(),
  labels: t.map(t.string()).default({}),
})

const status = t.object({ phase: t.string().optional(), conditions: t.conditions().optional() })
const Thing = resource('test.io/v1', 'Thing', { spec, status })

describe('types of nodes', () => {
  it('node types: fields with a default are there when read', () => {
    expectTypeOf<Infer<typeof spec>>().toEqualTypeOf<{
      image: string
      replicas: number
      strategy: 'Recreate' | 'RollingUpdate'
      pinned?: true
      note: string | null
      ports?: { name: string; port: number | string; protocol: 'TCP' | 'UDP' }[]
      labels: Record<string, string>
    }>()
  })

  it('node types: fields with a default may be left out when written', () => {
    expectTypeOf<Input<typeof spec>>().toEqualTypeOf<{
      image: string
      replicas?: number
      strategy?: 'Recreate' | 'RollingUpdate'
      pinned?: true
      note: string | null
      ports?: { name: string; port: number | string; protocol?: 'TCP' | 'UDP' }[]
      labels?: Record<string, string>
    }>()
  })

  it('node types: the order of default and optional does not matter', () => {
    const both = t.object({ a: t.int().default(1).optional(), b: t.int().optional().default(1) })
    expectTypeOf<Infer<typeof both>>().toEqualTypeOf<{ a: number; b: number }>()
    expectTypeOf<Input<typeof both>>().toEqualTypeOf<{ a?: number; b?: number }>()
  })

  it('node types: an extended object has the new fields', () => {
    const more = t.object({ a: t.int(), b: t.string() }).extend({ b: t.boolean(), c: t.json().optional() })
    expectTypeOf<Infer<typeof more>>().toEqualTypeOf<{ a: number; b: boolean; c?: Exclude<Json, null> }>()
  })

  it('node types: scalars and special types', () => {
    const all = t.object({
      time: t.time(),
      quantity: t.quantity(),
      duration: t.duration(),
      template: t.embedded(),
      big: t.int64(),
    })
    expectTypeOf<Infer<typeof all>>().toEqualTypeOf<{
      time: string
      quantity: number | string
      duration: string
      template: EmbeddedObject
      big: number
    }>()
  })

  it('node types: impossible nodes do not compile', () => {
    type Item = Parameters<typeof t.array>[0]
    const key = () => t.array(t.object({ a: t.string() }))
    expectTypeOf<Parameters<NumberNode['default']>[0]>().toEqualTypeOf<number>()
    expectTypeOf<Parameters<ReturnType<typeof key>['mapBy']>[0]>().toEqualTypeOf<'a'>()
    expectTypeOf(t.string()).toExtend<Item>()
    expectTypeOf(t.string().optional()).not.toExtend<Item>()
    expectTypeOf(t.string().default('')).not.toExtend<Item>()
    expectTypeOf<'no-such-format'>().not.toExtend<StringFormat>()
    type Spec = Parameters<typeof resource>[2]['spec']
    expectTypeOf(t.object({})).toExtend<Spec>()
    expectTypeOf(t.object({}).optional()).not.toExtend<Spec>()
    expectTypeOf(t.string()).not.toExtend<Spec>()
  })
})

describe('types of kinds', () => {
  type Thing = Infer<typeof Thing>

  it('kind types: an object has its spec, and perhaps its status', () => {
    expectTypeOf<Thing['spec']>().toEqualTypeOf<Infer<typeof spec>>()
    expectTypeOf<Thing['metadata']>().toEqualTypeOf<ObjectMeta>()
    expectTypeOf<NonNullable<Thing['status']>['phase']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Live<Thing>['spec']['replicas']>().toEqualTypeOf<number>()
    expectTypeOf<ObjectOf<typeof Thing>>().toEqualTypeOf<Thing>()
  })

  it('kind types: an input may leave out what has a default', () => {
    expectTypeOf<{ metadata: { name: 'a' }; spec: { image: 'i'; note: null } }>().toExtend<Input<typeof Thing>>()
    expectTypeOf<{ metadata: { name: 'a' } }>().not.toExtend<Input<typeof Thing>>()
    expectTypeOf<{ metadata: { name: 'a' }; spec: { image: 1; note: null } }>().not.toExtend<Input<typeof Thing>>()
    expectTypeOf<InputOf<typeof Thing>>().toEqualTypeOf<Input<typeof Thing>>()
  })

  it('kind types: a client takes an input, of this kind only, and gives the object with its defaults', () => {
    const write = (client: Client) =>
      client.create(Thing, { metadata: { name: 'a' }, spec: { image: 'i', note: null } })
    expectTypeOf(write).returns.resolves.toEqualTypeOf<Live<Thing>>()
    expectTypeOf((client: Client, read: Thing) => client.create(Thing, read)).returns.resolves.toEqualTypeOf<
      Live<Thing>
    >()
    expectTypeOf((client: Client) =>
      client.update(Thing, { metadata: { name: 'a' }, spec: { image: 'i', note: null } }),
    ).returns.resolves.toEqualTypeOf<Live<Thing>>()
    expectTypeOf((client: Client) =>
      client.apply(Thing, { metadata: { name: 'a' }, spec: { image: 'i' } }),
    ).returns.resolves.toEqualTypeOf<Live<Thing>>()
    expectTypeOf(<T extends ApiObject>(client: Client, kind: Kind<T>, object: T) =>
      client.create(kind, object),
    ).toBeFunction()
  })

  it('kind types: the object of a write has the input type of its kind, or else the type of its objects', () => {
    // The compiler infers the parameter of a function from the type that is expected there.
    interface Read extends ApiObject {
      take: (value: number) => void
    }
    interface Written extends ApiObject {
      take: (value: string) => void
    }
    const Plain = kind<Read>({ apiVersion: 'a.io/v1', kind: 'Plain', plural: 'plains', namespaced: true })
    const WithInput: DefaultingKind<Read, Written> = Plain
    const metadata = { name: 'a' }
    const writes = (client: Client) => [
      client.create(Plain, { metadata, take: (value) => expectTypeOf(value).toEqualTypeOf<number>() }),
      client.update(Plain, { metadata, take: (value) => expectTypeOf(value).toEqualTypeOf<number>() }),
      client.create(WithInput, { metadata, take: (value) => expectTypeOf(value).toEqualTypeOf<string>() }),
      client.update(WithInput, { metadata, take: (value) => expectTypeOf(value).toEqualTypeOf<string>() }),
    ]
    expectTypeOf(writes).returns.toEqualTypeOf<Promise<Live<Read>>[]>()
  })

  it('kind types: a spec with a default may be left out', () => {
    const Lazy = resource('test.io/v1', 'Lazy', {
      plural: 'lazies',
      spec: t.object({ n: t.int().default(1) }).default({}),
    })
    expectTypeOf<{ metadata: { name: 'a' } }>().toExtend<Input<typeof Lazy>>()
    expectTypeOf<Infer<typeof Lazy>['spec']>().toEqualTypeOf<{ n: number }>()
    expectTypeOf<Infer<typeof Lazy>['status']>().toEqualTypeOf<undefined>()
  })

  it('kind types: a custom kind goes wherever a kind is expected, with its type', () => {
    const typeOf = <T extends { metadata: ObjectMeta }>(kind: Kind<T>): { plural: string; object?: T } => ({
      plural: kind.plural,
    })
    const thing = typeOf(Thing)
    const pod = typeOf(Pod)
    expectTypeOf(thing.object).toEqualTypeOf<Thing | undefined>()
    expectTypeOf(pod.object).toEqualTypeOf<coreV1.Pod | undefined>()
    expect([thing.plural, pod.plural]).toEqual(['things', 'pods'])
  })
})

describe('types of built-ins', () => {
  it('built-in types: a kind is a value and a type', () => {
    expectTypeOf<Infer<typeof Deployment>>().toEqualTypeOf<appsV1.Deployment>()
    expectTypeOf<Deployment>().toEqualTypeOf<appsV1.Deployment>()
    expectTypeOf<Input<typeof Deployment>>().toEqualTypeOf<appsV1.Deployment>()
    expectTypeOf<coreV1.Container['image']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<NonNullable<Pod['spec']>['containers']>().toEqualTypeOf<coreV1.Container[]>()
    expectTypeOf<NonNullable<coreV1.PodSpec['restartPolicy']>>().toEqualTypeOf<'Always' | 'Never' | 'OnFailure'>()
  })

  it('built-in types: a misspelt value of an enumeration does not compile', () => {
    expectTypeOf<{ containers: []; restartPolicy: 'OnFailure' }>().toExtend<coreV1.PodSpec>()
    expectTypeOf<{ containers: []; restartPolicy: 'onFailure' }>().not.toExtend<coreV1.PodSpec>()
    expectTypeOf<{ name: 'a'; imagePullPolicy: 'IfNotPresent' }>().toExtend<coreV1.Container>()
    expectTypeOf<{ name: 'a'; imagePullPolicy: 'IfNotpresent' }>().not.toExtend<coreV1.Container>()
    expectTypeOf<{ name: 'a'; restartPolicy: 'always' }>().not.toExtend<coreV1.Container>()
    expectTypeOf<{ type: 'NodePort' }>().toExtend<coreV1.ServiceSpec>()
    expectTypeOf<{ type: 'Nodeport' }>().not.toExtend<coreV1.ServiceSpec>()
    expectTypeOf<{ port: 80; protocol: 'tcp' }>().not.toExtend<coreV1.ServicePort>()
    expectTypeOf<{ type: 'Recreated' }>().not.toExtend<appsV1.DeploymentStrategy>()
    expectTypeOf<{ key: 'a'; operator: 'in' }>().not.toExtend<metaV1.LabelSelectorRequirement>()
    expectTypeOf<coreV1.PodCondition['status']>().toEqualTypeOf<'True' | 'False' | 'Unknown'>()
    // Other programs have values of their own for these.
    expectTypeOf<NonNullable<coreV1.Secret['type']>>().toEqualTypeOf<string>()
    expectTypeOf<coreV1.PodCondition['type']>().toEqualTypeOf<string>()
  })

  it('built-in types: ready-made nodes fit them', () => {
    const podParts = t.object({
      env: t.env(),
      resources: t.resources(),
      probe: t.probe(),
      conditions: t.conditions(),
      selector: t.labelSelector(),
      secret: t.keyReference(),
      config: t.localReference(),
      target: t.objectReference(),
    })
    type Parts = Infer<typeof podParts>
    expectTypeOf<Parts['env']>().toExtend<coreV1.EnvVar[]>()
    expectTypeOf<Parts['resources']>().toExtend<coreV1.ResourceRequirements>()
    expectTypeOf<Parts['probe']>().toExtend<coreV1.Probe>()
    expectTypeOf<Parts['conditions']>().toExtend<metaV1.Condition[]>()
    expectTypeOf<Parts['selector']>().toExtend<metaV1.LabelSelector>()
    expectTypeOf<Parts['secret']>().toExtend<coreV1.SecretKeySelector>()
    expectTypeOf<Parts['config']>().toExtend<coreV1.LocalObjectReference>()
    expectTypeOf<Parts['target']>().toExtend<coreV1.ObjectReference>()
  })

  it('built-in types: a kind from names has JSON fields, or the type that it is given', () => {
    const names = { apiVersion: 'a.io/v1', kind: 'A', plural: 'as', namespaced: true }
    const untyped = kind(names)
    expectTypeOf<Infer<typeof untyped>['spec']>().toEqualTypeOf<Json>()
    const typed = kind<coreV1.Pod>(names)
    expectTypeOf<Infer<typeof typed>>().toEqualTypeOf<coreV1.Pod>()
    expect(typed).toEqual({ ...names, group: 'a.io', version: 'v1' })
  })
})
