/**
 * The fluent builder of controllers:
 *
 *     controller(WebApp).owns(Deployment, Service).finalizer('coxswain.dev/webapp', cleanUp).reconcile(run)
 *
 * Each call returns a new builder; `reconcile` returns the definition.
 */
import type { ApiObject } from '../api/live-object.ts'
import { checkQualifiedName } from '../api/names.ts'
import type { InformerOptions } from '../cache/cache.ts'
import type { ExternalSystem } from '../external/external.ts'
import { kindName, type Kind } from '../schema/kind.ts'
import { accessTo, type AccessTarget, type Verb } from './access.ts'
import type {
  ControllerDefinition,
  ControllerOptions,
  Finalizer,
  WhenGone,
  ObjectFilter,
  OwnedOptions,
  Reconcile,
  Source,
  UpdateFilter,
  WatchOptions,
} from './definition.ts'

export interface ControllerBuilder<T extends ApiObject> {
  /** The name in logs, metrics and events, and the default field manager. Default: the kind in lower case. */
  named(name: string): ControllerBuilder<T>
  /** Which updates of the object itself trigger a run. Default: all. */
  when(filter: UpdateFilter<T>): ControllerBuilder<T>
  /** Which objects it reconciles: events of other objects, before and after a change, trigger nothing. Default: all. */
  only(filter: ObjectFilter<T>): ControllerBuilder<T>
  /** How the controller's own kind is cached. */
  cached(informer: InformerOptions<T>): ControllerBuilder<T>
  /** Kinds that it creates: an event of such an object triggers a run for its owner. */
  owns(...kinds: readonly Kind[]): ControllerBuilder<T>
  /** One such kind, with options. */
  ownsWith<Owned extends ApiObject>(kind: Kind<Owned>, options: OwnedOptions<Owned>): ControllerBuilder<T>
  /**
   * A kind that it does not own, whose changes trigger runs of the keys that `map` returns. The reconcile reads it with
   * `get` or `list`.
   *
   * ```ts
   * // Gateways name the Secret of their certificate. The index finds those that name the one that has changed.
   * controller(Gateway)
   *   .cached({ indexes: { secret: ({ spec }) => [spec.secretName] } })
   *   .watches(Secret, {
   *     map: ({ metadata }, { lister }) =>
   *       lister(Gateway).byIndex('secret', metadata.name, metadata.namespace).map(keyOf),
   *   })
   * ```
   */
  watches<Watched extends ApiObject>(kind: Kind<Watched>, options: WatchOptions<Watched>): ControllerBuilder<T>
  /** A kind that it reads from the cache, whose events trigger nothing. */
  reads<Read extends ApiObject>(kind: Kind<Read>, informer?: InformerOptions<Read>): ControllerBuilder<T>
  /** Keeps the object until `cleanup` is done. Several finalizers run in the order of declaration. */
  finalizer(name: string, cleanup: Reconcile<T>): ControllerBuilder<T>
  /** Runs while the object is being deleted and has no finalizer of this controller. Default: nothing runs. */
  deleting(reconcile: Reconcile<T>): ControllerBuilder<T>
  /** Runs when the object is gone. */
  gone(handler: WhenGone): ControllerBuilder<T>
  /**
   * Declares API calls that do not follow from the rest: `delete` of the context, and calls through its `client`.
   * Generated RBAC includes them; nothing else depends on it. `.may('delete', Deployment, Service)`
   */
  may(verbs: Verb | readonly Verb[], ...targets: readonly (Kind | AccessTarget)[]): ControllerBuilder<T>
  /** External systems that it calls, with `use` of the context. */
  uses(...systems: readonly ExternalSystem[]): ControllerBuilder<T>
  options(options: ControllerOptions): ControllerBuilder<T>
  reconcile(reconcile: Reconcile<T>): ControllerDefinition<T>
}

export function controller<T extends ApiObject>(kind: Kind<T>): ControllerBuilder<T> {
  return builder({
    name: kind.kind.toLowerCase(),
    kind,
    informer: {},
    sources: [],
    finalizers: [],
    access: [],
    externals: [],
    options: {},
  })
}

type Draft<T extends ApiObject> = Omit<ControllerDefinition<T>, 'reconcile'>

function builder<T extends ApiObject>(draft: Draft<T>): ControllerBuilder<T> {
  const next = (change: Partial<Draft<T>>): ControllerBuilder<T> => builder({ ...draft, ...change })
  const source = (added: Source): ControllerBuilder<T> => next({ sources: [...draft.sources, checked(draft, added)] })
  return {
    named: (name) => next({ name: checkedName(name) }),
    when: (filter) => next({ when: filter }),
    only: (filter) => next({ only: filter }),
    cached: (informer) => next({ informer }),
    owns: (...kinds) => kinds.reduce<ControllerBuilder<T>>((so, kind) => so.ownsWith(kind, {}), builder(draft)),
    ownsWith: (kind, { when, ignoreAdds, ignoreDeletes, informer = {} }) =>
      source({ type: 'owned', kind, when, ignoreAdds, ignoreDeletes, informer } as Source),
    watches: (kind, { map, when, ignoreAdds, informer = {} }) =>
      source({ type: 'watched', kind, map, when, ignoreAdds, informer } as Source),
    reads: (kind, informer = {}) => source({ type: 'read', kind, informer }),
    finalizer: (name, cleanup) =>
      next({ finalizers: [...draft.finalizers, checkedFinalizer(draft, { name, cleanup })] }),
    deleting: (reconcile) => next({ deleting: reconcile }),
    gone: (handler) => next({ gone: handler }),
    may: (verbs, ...targets) => next({ access: [...draft.access, ...accessTo(verbs, targets)] }),
    uses: (...systems) => next({ externals: [...draft.externals, ...systems] }),
    options: (options) => next({ options: checkedOptions({ ...draft.options, ...options }) }),
    reconcile: (reconcile) => ({ ...draft, reconcile }),
  }
}

function checkedName(name: string): string {
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) && name.length <= 63) return name
  throw new Error(`"${name}" cannot name a controller: use lower-case letters, digits and dashes, 63 at most`)
}

function checked<T extends ApiObject>(draft: Draft<T>, added: Source): Source {
  const isTheSame = ({ type, kind }: Source): boolean => type === added.type && kindName(kind) === kindName(added.kind)
  if (added.type !== 'watched' && draft.sources.some(isTheSame)) {
    throw new Error(`${added.kind.kind} is declared twice for the controller ${draft.name}: name each kind once`)
  }
  return added
}

function checkedFinalizer<T extends ApiObject>(draft: Draft<T>, finalizer: Finalizer<T>): Finalizer<T> {
  const { name } = finalizer
  if (!name.includes('/') || checkQualifiedName(name).length > 0) {
    throw new Error(`"${name}" cannot name a finalizer: use a domain and a name, as in coxswain.dev/webapp`)
  }
  if (draft.finalizers.some((other) => other.name === name)) throw new Error(`the finalizer ${name} is declared twice`)
  return finalizer
}

function checkedOptions(options: ControllerOptions): ControllerOptions {
  const { concurrency = 1, debounce } = options
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError(`concurrency is ${concurrency}: give a whole number of at least 1`)
  }
  if (debounce !== undefined && !(debounce.quietMs > 0 && debounce.maxMs >= debounce.quietMs)) {
    throw new RangeError('debounce needs quiet above 0 and max of at least quiet, in milliseconds')
  }
  return options
}
