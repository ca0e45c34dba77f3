/** What docs/reference/webapp.md promises of an app, as oracles for the explorer. */
import {
  Deployment,
  findCondition,
  Ingress,
  isConditionTrue,
  isControlledBy,
  Service,
  type ApiObject,
  type Kind,
  type Live,
} from 'coxswain'
import { childrenGoFirst, declaredEdges, type ClusterView, type ObservedChange, type Oracle } from 'coxswain/testing'
import { portName } from '../children/pod-template.ts'
import { fieldManager } from '../children/identity.ts'
import { WebApp } from '../schema/webapp.ts'
import { isRejection } from '../state/facts.ts'
import { lifecycle } from '../steps/lifecycle.ts'
import { violations, type Observed } from './invariants.ts'

const ownConditions: Oracle = {
  name: 'conditions of an app',
  change: ({ by, object }) => {
    if (by !== 'operator' || object.kind !== WebApp.kind) return undefined
    const app = object as Observed
    // Before the first status there is nothing to say.
    return app.status?.conditions === undefined ? undefined : violations(app).join('; ') || undefined
  },
}

/** Apps that the operator looks after. */
function lookedAfter(world: ClusterView): readonly Live<WebApp>[] {
  return world.objects(WebApp).filter(({ spec, metadata }) => !spec.suspend && metadata.deletionTimestamp === undefined)
}

/** The children of these kinds, also those that the app does not control but that have its name. */
function named<T extends ApiObject>(world: ClusterView, kind: Kind<T>, app: Live<WebApp>): Live<T> | undefined {
  return world.objects(kind).find(({ metadata }) => metadata.name === app.metadata.name)
}

const stalledBy = ({ status }: Live<WebApp>): string | undefined => findCondition(status?.conditions, 'Stalled')?.reason

/** A rule about each app that is looked after, when all is at rest. */
function atRest(name: string, broken: (app: Live<WebApp>, world: ClusterView) => string | undefined): Oracle {
  return {
    name,
    rest: (world) =>
      lookedAfter(world)
        .map((app) => broken(app, world))
        .find((text) => text !== undefined),
  }
}

/** What an app needs is there, whatever phase it is in; unless nobody shall touch it, or somebody has its name. */
const complete = atRest('complete', (app, world) => {
  if (app.spec.drift.mode !== 'Enforce' || stalledBy(app) === 'NotOwned') return undefined
  const missing = [Deployment, Service].filter((kind) => named<ApiObject>(world, kind, app) === undefined)
  return missing.length === 0 ? undefined : `${missing.map(({ kind }) => kind).join(' and ')} is missing`
})

/** An object of the app's name that somebody else has made is what the app says it waits for. */
const names = atRest('names', (app, world) => {
  const foreign = [Deployment, Service]
    .map((kind) => named<ApiObject>(world, kind, app))
    .find((child) => child !== undefined && !isControlledBy(child, app))
  return foreign === undefined || stalledBy(app) === 'NotOwned'
    ? undefined
    : `the app does not control ${foreign.kind ?? ''} ${foreign.metadata.name}, and is not Stalled because of it`
})

const ownPods = atRest('own pods', (app, world) => {
  const own = named(world, Deployment, app)
  const { replicas = 0, readyReplicas = 0, children = [] } = app.status ?? {}
  if ((own !== undefined && isControlledBy(own, app)) || app.spec.drift.mode !== 'Enforce') return undefined
  return replicas + readyReplicas > 0 || children.some(({ kind, state }) => kind === 'Deployment' && state === 'Ready')
    ? 'the status has pods of a Deployment that the app does not control'
    : undefined
})

const counters = ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'] as const

/** The numbers in the status are those of the Deployment. */
const numbers = atRest('numbers', (app, world) => {
  const own = named(world, Deployment, app)
  if (own === undefined || !isControlledBy(own, app)) return undefined
  return counters
    .map((name) => ({ name, reported: app.status?.[name] ?? 0, actual: own.status?.[name] ?? 0 }))
    .filter(({ reported, actual }) => reported !== actual)
    .map(({ name, reported, actual }) => `${name} is ${reported}, and the Deployment says ${actual}`)
    .at(0)
})

const port = atRest('port', (app, world) => {
  if (!isConditionTrue(app.status?.conditions, 'Ready')) return undefined
  const wanted = app.spec.service.port ?? app.spec.port
  const actual = named(world, Service, app)?.spec?.ports?.find(({ name }) => name === portName)?.port
  return actual === wanted ? undefined : `the Service listens on ${actual ?? 'nothing'}, and the spec says ${wanted}`
})

/** The order in which they go. */
const order = [Ingress, Service, Deployment] as readonly Kind[]

/** First the app says that it is being deleted. Then one child goes after the other, or none with the policy Orphan. */
const cleanUp: Oracle = {
  name: 'ordered clean-up',
  change: (change, world) => {
    const kind = order.find((each) => each.kind === change.object.kind && each.apiVersion === change.object.apiVersion)
    if (kind === undefined || !isDeleted(change)) return undefined
    const app = world.objects(WebApp).find((each) => isControlledBy(change.object as unknown as Live<ApiObject>, each))
    if (app?.metadata.deletionTimestamp === undefined) return undefined
    const isObserved = app.status?.observedGeneration === app.metadata.generation
    if (app.spec.deletionPolicy === 'Orphan' && isObserved) return `${kind.kind} goes, and the policy is Orphan`
    if (app.status?.phase !== 'Deleting') return `${kind.kind} goes before the phase is Deleting`
    const early = order
      .slice(0, order.indexOf(kind))
      .find((before) => world.objects<ApiObject>(before).some((child) => isControlledBy(child, app)))
    return early === undefined ? undefined : `${kind.kind} goes before ${early.kind}`
  },
}

function isDeleted({ by, type, object, previous }: ObservedChange): boolean {
  const isMarked = object.metadata.deletionTimestamp !== undefined
  return by === 'operator' && previous?.metadata.deletionTimestamp === undefined && (type === 'delete' || isMarked)
}

/** A roll-out fails when it has made no progress for the time that the spec gives it, and not before. */
const patience: Oracle = {
  name: 'progress deadline',
  change: ({ by, object, previous }, world) => {
    if (by !== 'operator' || object.kind !== WebApp.kind) return undefined
    const [app, before] = [object, previous] as unknown as readonly [Live<WebApp>, Live<WebApp> | undefined]
    const failed = app.status?.failedRevision
    if (failed === undefined || failed.digest === before?.status?.failedRevision?.digest) return undefined
    if (isRejection(failed.reason)) return undefined
    const applied = named(world, Deployment, app)?.metadata.managedFields?.find(
      ({ manager, operation }) => manager === fieldManager && operation === 'Apply',
    )?.time
    // A time has no milliseconds.
    const seconds = Math.ceil((world.now - Date.parse(applied ?? '')) / 1000)
    return seconds < app.spec.progressDeadlineSeconds
      ? `the roll-out of ${failed.image} failed ${seconds} s after it began`
      : undefined
  },
}

/** A run may walk several edges before it writes a status. */
function reachable(): Readonly<Record<string, readonly string[]>> {
  const from = (phase: string): readonly string[] => {
    const reached = new Set([phase])
    for (const each of reached) for (const [start, end] of lifecycle.edges) if (start === each) reached.add(end)
    return [...reached].filter((each) => each !== phase)
  }
  return { '': lifecycle.phases, ...Object.fromEntries(lifecycle.phases.map((phase) => [phase, from(phase)])) }
}

export const properties: readonly Oracle[] = [
  ownConditions,
  complete,
  names,
  ownPods,
  numbers,
  port,
  cleanUp,
  patience,
  childrenGoFirst(WebApp, Deployment, Service, Ingress),
  declaredEdges(WebApp, ({ status }) => status?.phase, reachable()),
]
