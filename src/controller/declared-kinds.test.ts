import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../api/live-object.ts'
import type { Cache, InformerOptions } from '../cache/cache.ts'
import { ConfigMap, Secret } from '../schema/builtin/kinds.ts'
import { kindName, type Kind } from '../schema/kind.ts'
import { controller } from './builder.ts'
import { controllerIndex, declareKinds } from './declared-kinds.ts'
import type { ControllerDefinition } from './definition.ts'
import { App } from './testdata/app.ts'

const run = (): void => undefined
const apps = controller(App)
const others = controller(Secret).named('other')

/** The informers that the cache is asked for. */
function declared(...definitions: readonly unknown[]): Record<string, InformerOptions<ApiObject>> {
  const asked: Record<string, InformerOptions<ApiObject>> = {}
  const cache = {
    informer: (kind: Kind, options: InformerOptions<ApiObject>) => void (asked[kindName(kind)] = options),
  } as unknown as Cache
  declareKinds(cache, definitions as readonly ControllerDefinition[])
  return asked
}

describe('kinds that controllers declare', () => {
  it('kinds that controllers declare are cached once each, with what all of them need', () => {
    const asked = declared(
      apps
        .owns(ConfigMap)
        .reads(Secret, { indexes: { a: () => [] } })
        .reconcile(run),
      others.reads(ConfigMap, { indexes: { b: () => [] }, resyncPeriodMs: 1000 }).reconcile(run),
    )
    expect(Object.keys(asked).sort()).toEqual(['apps.example.dev', 'configmaps', 'secrets'])
    expect(asked['configmaps']).toMatchObject({ keepManagedFields: 'applied', resyncPeriodMs: 1000 })
    expect(Object.keys(asked['configmaps']?.indexes ?? {})).toEqual([controllerIndex, 'b'])
    expect(asked['secrets']?.keepManagedFields ?? false).toBe(false)
    expect(Object.keys(asked['secrets']?.indexes ?? {})).toEqual(['a'])
  })

  it('kinds that controllers declare are merged in any order, and also within one controller', () => {
    const first = declared(
      apps
        .reads(ConfigMap)
        .watches(ConfigMap, { map: () => [] })
        .owns(ConfigMap)
        .reconcile(run),
    )
    expect(first['configmaps']).toMatchObject({ keepManagedFields: 'applied' })
    const all = declared(apps.reads(ConfigMap, { keepManagedFields: true }).owns(ConfigMap).reconcile(run))
    expect(all['configmaps']).toMatchObject({ keepManagedFields: true })
  })

  it.each<[string, InformerOptions<ApiObject>, InformerOptions<ApiObject>]>([
    ['namespaces', { namespaces: ['a'] }, {}],
    ['labelSelector', { labelSelector: 'a=b' }, { labelSelector: 'a=c' }],
    ['fieldSelector', {}, { fieldSelector: 'metadata.name=a' }],
    ['projection', {}, { projection: 'metadata' }],
  ])('kinds declared with different %s are refused, and the error names the controllers', (name, one, other) => {
    const definitions = [apps.reads(ConfigMap, one).reconcile(run), others.reads(ConfigMap, other).reconcile(run)]
    expect(() => declared(...definitions)).toThrow(
      `ConfigMap is cached with different ${name} by the controllers app and other`,
    )
  })

  it('kinds declared with different transforms are refused; the shorter resync period counts', () => {
    const reading = (informer: InformerOptions<ConfigMap>) => [apps.reads(ConfigMap, informer).reconcile(run)]
    const also = (informer: InformerOptions<ConfigMap>) => [others.reads(ConfigMap, informer).reconcile(run)]
    expect(() =>
      declared(...reading({ transform: (each) => each }), ...also({ transform: (each) => ({ ...each }) })),
    ).toThrow('different transforms')
    expect(
      declared(...reading({ resyncPeriodMs: 5 }), ...also({ resyncPeriodMs: 3 }))['configmaps']?.resyncPeriodMs,
    ).toBe(3)
    expect(
      declared(...reading({ resyncPeriodMs: 0 }), ...also({ resyncPeriodMs: 3 }))['configmaps']?.resyncPeriodMs,
    ).toBe(3)
    expect(declared(...reading({}), ...also({ resyncPeriodMs: 0 }))['configmaps']?.resyncPeriodMs).toBe(0)
  })
})
