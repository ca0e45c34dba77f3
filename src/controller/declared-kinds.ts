/**
 * The informers that a set of controllers needs: one per kind, shared. Their options are merged; options that cannot be
 * merged are an error before anything starts.
 */
import type { ApiObject } from '../api/live-object.ts'
import type { Cache, InformerOptions } from '../cache/cache.ts'
import { kindName, type Kind } from '../schema/kind.ts'
import type { ControllerDefinition } from './definition.ts'
import { controllerOf } from './owner-references.ts'

/** The index of objects by the uid of their controller. */
export const controllerIndex = 'coxswain.dev/controller'

interface Wanted {
  readonly controller: string
  readonly kind: Kind
  readonly informer: InformerOptions<ApiObject>
}

export function declareKinds(cache: Cache, definitions: readonly ControllerDefinition[]): void {
  const byKind = new Map<string, Wanted[]>()
  for (const wanted of definitions.flatMap(wantedBy)) {
    const name = kindName(wanted.kind)
    byKind.set(name, [...(byKind.get(name) ?? []), wanted])
  }
  for (const wanted of byKind.values()) cache.informer((wanted[0] as Wanted).kind, joined(wanted))
}

function wantedBy(definition: ControllerDefinition): Wanted[] {
  const { name: controller, kind, informer } = definition
  const own = { controller, kind, informer }
  return [
    own,
    ...definition.sources.map((source) => ({
      controller,
      kind: source.kind,
      informer: source.type === 'owned' ? { ...ownedInformer, ...source.informer } : source.informer,
    })),
  ]
}

const none: readonly string[] = []

const ownedInformer: InformerOptions<ApiObject> = {
  keepManagedFields: 'applied',
  indexes: {
    [controllerIndex]: (object) => {
      const controller = controllerOf(object)
      return controller === undefined ? none : [controller.uid]
    },
  },
}

function joined(wanted: readonly Wanted[]): InformerOptions<ApiObject> {
  const [first, ...others] = wanted as readonly [Wanted, ...Wanted[]]
  return others.reduce((options, other) => {
    refuseDifference(first, options, other)
    const { informer } = other
    return Object.assign({}, options, informer, {
      transform: options.transform ?? informer.transform,
      resyncPeriodMs: sooner(options.resyncPeriodMs, informer.resyncPeriodMs),
      keepManagedFields: more(options.keepManagedFields, informer.keepManagedFields),
      indexes: Object.assign({}, options.indexes, informer.indexes),
    })
  }, first.informer)
}

function refuseDifference(
  first: Wanted,
  options: InformerOptions<ApiObject>,
  { controller, kind, informer }: Wanted,
): void {
  const differ = (what: string): Error =>
    new Error(
      `${kind.kind} is cached with different ${what} by the controllers ${first.controller} and ${controller}: ` +
        'let them agree, or give one a cache of its own',
    )
  for (const name of ['namespaces', 'labelSelector', 'fieldSelector', 'projection'] as const) {
    if (JSON.stringify(options[name]) !== JSON.stringify(informer[name])) throw differ(name)
  }
  const { transform = informer.transform } = options
  if (informer.transform !== undefined && transform !== informer.transform) throw differ('transforms')
}

/** The option that keeps more. */
function more(a: Kept, b: Kept): Kept {
  return [true, 'applied' as const].find((kept) => a === kept || b === kept) ?? false
}

type Kept = InformerOptions<ApiObject>['keepManagedFields']

/** The shorter period; 0 means never. */
function sooner(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b)
}
