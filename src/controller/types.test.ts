/** Tests of the types of controllers, by the compiler: `npm test` type-checks this file. */
import { describe, expectTypeOf, it } from 'vitest'
import type { KubeObject } from '../api/object.ts'
import type { Live, LiveMeta } from '../api/live-object.ts'
import type { Partially } from '../client/client.ts'
import { ConfigMap, Deployment, Secret } from '../schema/builtin/kinds.ts'
import { kind, type InputOf } from '../schema/kind.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import type { ObjectOf } from '../schema/kind.ts'
import { controller } from './builder.ts'
import type { Condition } from './conditions.ts'
import type { Applied, ReconcileContext } from './context.ts'
import type { ControllerDefinition, Reconcile } from './definition.ts'
import { step, type Step } from '../flow/step.ts'
import { flow } from './flow.ts'
import { requeueAfter, type ReconcileResult } from './result.ts'
import { generationChanged, changed } from './update-filters.ts'

const WebApp = resource('test.io/v1', 'WebApp', {
  spec: t.object({ image: t.string(), replicas: t.int().default(1), env: t.map(t.string()).optional() }),
  status: t.object({
    phase: t.enum('Pending', 'Running').optional(),
    replicas: t.int().optional(),
    conditions: t.conditions().optional(),
  }),
})
type WebApp = ObjectOf<typeof WebApp>
type Context = ReconcileContext<WebApp>

describe('a reconcile', () => {
  it('the type of a reconcile knows its object: what has a default is there, and nothing may be changed', () => {
    expectTypeOf<Context['object']['spec']['replicas']>().toEqualTypeOf<number>()
    expectTypeOf<Context['object']['spec']['env']>().toEqualTypeOf<{ readonly [name: string]: string } | undefined>()
    expectTypeOf<Context['object']['metadata']>().toEqualTypeOf<LiveMeta>()
    expectTypeOf<Context['object']['metadata']['uid']>().toEqualTypeOf<string>()
  })

  it('the type of a reconcile may end in two ways', () => {
    expectTypeOf(requeueAfter(5)).toExtend<ReconcileResult>()
    expectTypeOf<undefined>().toExtend<ReconcileResult>()
    expectTypeOf<{ requeue: true }>().not.toExtend<ReconcileResult>()
    expectTypeOf<boolean>().not.toExtend<ReconcileResult>()
    expectTypeOf<() => Promise<void>>().toExtend<Reconcile<WebApp>>()
  })

  it('the type of a reconcile reads other kinds as what they are', () => {
    type Read = (context: Context) => Promise<Live<ObjectOf<typeof Deployment>> | undefined>
    expectTypeOf(async ({ get }: Context) => get(Deployment, 'web')).toExtend<Read>()
    expectTypeOf(async ({ list }: Context) => (await list(Secret))[0]?.data?.['a']).returns.resolves.toEqualTypeOf<
      string | undefined
    >()
    expectTypeOf(
      async ({ owned }: Context) => (await owned(Deployment))[0]?.status?.readyReplicas,
    ).returns.resolves.toEqualTypeOf<number | undefined>()
    const Unknown = kind({ apiVersion: 'x.io/v1', kind: 'Unknown', plural: 'unknowns', namespaced: true })
    expectTypeOf(async ({ get }: Context) => get(Unknown, 'a')).returns.resolves.toEqualTypeOf<
      Live<KubeObject> | undefined
    >()
  })

  it('the type of a reconcile sets a status that the kind has', () => {
    type Set = Parameters<Context['status']['set']>[0]
    expectTypeOf<{ phase: 'Running'; replicas: undefined }>().toExtend<Set>()
    expectTypeOf<{ phase: 'Elsewhere' }>().not.toExtend<Set>()
    expectTypeOf<{ replicas: string }>().not.toExtend<Set>()
    expectTypeOf<ReturnType<Context['status']['findCondition']>>().toEqualTypeOf<Readonly<Condition> | undefined>()
  })
})

describe('an apply', () => {
  it('the type of apply takes a part of the kind, and no other fields, and gives the kind', () => {
    expectTypeOf(async ({ apply, object }: Context) =>
      apply(Deployment, {
        metadata: { name: object.metadata.name, labels: { app: 'x' } },
        spec: {
          replicas: object.spec.replicas,
          selector: { matchLabels: { app: 'x' } },
          strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
          template: {
            metadata: { labels: { app: 'x' } },
            spec: {
              containers: [
                {
                  name: 'web',
                  image: object.spec.image,
                  ports: [{ containerPort: 80 }],
                  resources: { limits: { cpu: '1' } },
                  env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'x' } } }],
                },
              ],
            },
          },
        },
      }),
    ).returns.resolves.toEqualTypeOf<Applied<ObjectOf<typeof Deployment>>>()
  })

  it('the type of apply refuses what the kind does not have, and what has no name', () => {
    type Wanted = Partially<ObjectOf<typeof Deployment>>
    expectTypeOf<{ metadata: { name: string }; spec: { replicas: number } }>().toExtend<Wanted>()
    expectTypeOf<{ metadata: { name: string }; spec: { replicas: string } }>().not.toExtend<Wanted>()
    expectTypeOf<{ metadata: { labels: Record<string, string> } }>().not.toExtend<Wanted>()
    expectTypeOf<Parameters<Context['apply']>[1]>().toExtend<{ metadata: { name: string } }>()
  })

  it('the type of apply of a custom resource needs only what is wanted, whatever its input type', () => {
    expectTypeOf(
      async ({ apply }: Context) =>
        (await apply(WebApp, { metadata: { name: 'a' }, spec: { image: 'x' } })).object.spec.replicas,
    ).returns.resolves.toEqualTypeOf<number>()
    expectTypeOf<InputOf<typeof WebApp>['spec']>().toExtend<{ image: string; replicas?: number | undefined }>()
  })
})

describe('a flow', () => {
  const sync = step('sync', async ({ apply }: Context) => void (await apply(ConfigMap, { metadata: { name: 'a' } })))

  it('the type of a flow of steps of the context is a reconcile of the kind, and of no other', () => {
    expectTypeOf(flow(sync)).toEqualTypeOf<Reconcile<WebApp>>()
    expectTypeOf(controller(WebApp).finalizer('test.io/webapp', flow(sync)).reconcile(flow(sync))).toEqualTypeOf<
      ControllerDefinition<WebApp>
    >()
    expectTypeOf<typeof sync>().not.toExtend<Parameters<typeof flow<ObjectOf<typeof ConfigMap>>>[0]>()
  })

  it('the type of a flow of steps that want more says how it is made', () => {
    const report = step('tell', (_context: { readonly image: string }) => undefined)
    expectTypeOf(
      controller(WebApp).reconcile(flow(report, ({ object }) => ({ image: object.spec.image }))),
    ).toEqualTypeOf<ControllerDefinition<WebApp>>()
  })

  it('the type of a flow has no steps that leave a phase: that is for machines', () => {
    expectTypeOf<Step<Context, 'Running'>>().not.toExtend<Parameters<typeof flow<WebApp>>[0]>()
  })
})

describe('a definition', () => {
  it('a controller definition of any kind is a definition, so that a manager takes them together', () => {
    const definition = controller(WebApp)
      .owns(Deployment, ConfigMap)
      .when(generationChanged)
      .watches(Secret, { map: ({ metadata }) => [metadata], when: changed((secret) => secret.data) })
      .finalizer('test.io/webapp', ({ object }) => void object.spec.image)
      .reconcile(async ({ object }) => {
        expectTypeOf(object.spec.replicas).toEqualTypeOf<number>()
      })
    expectTypeOf(definition).toEqualTypeOf<ControllerDefinition<WebApp>>()
    expectTypeOf(definition).toExtend<ControllerDefinition>()
  })
})
