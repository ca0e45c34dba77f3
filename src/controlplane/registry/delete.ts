/** Delete: preconditions, grace period, finalizers and propagation policy, for one object and for collections. */
import { cloneJson } from '../../api/json.ts'
import type { KubeObject, ObjectMeta } from '../../api/object.ts'
import { ApiError, apiError, deletedStatus, type Status } from '../../api/status.ts'
import { timestamp } from '../../env/env.ts'
import { JsonSyntaxError } from '../../codec/json-text.ts'
import { ProtobufError } from '../../codec/protobuf/protobuf.ts'
import type { PutNotes, Stored } from '../storage/store.ts'
import { admitDelete } from './admission.ts'
import { readBody } from './body.ts'
import { requestedKey, resourceName, storageKey, type RegistryCall } from './call.ts'
import { collect, type ListPage } from './list.ts'
import { withStoredResourceVersion, withResourceVersion } from './metadata.ts'
import { deleteOptions, type DeleteOptions } from './options.ts'
import { fieldsOf, isStale } from './view-store.ts'
import { TurnOver } from './turn-over.ts'

/** After this many objects of a collection, the request checks whether its turn is over. */
const objectsPerCheckCount = 16

export interface Deleted {
  readonly status: number
  /** The object if it is not gone yet or the kind returns it; otherwise a Status. */
  readonly body: KubeObject | Status
  readonly stored?: Stored
}

export function readDeleteOptions(call: RegistryCall): DeleteOptions {
  try {
    return deleteOptions(
      readBody(call, { group: '', version: 'v1', kind: 'DeleteOptions' })?.value,
      call.request.query,
      call.request.audit,
    )
  } catch (error) {
    if (error instanceof ProtobufError) throw apiError.badRequest(error.message)
    if (error instanceof JsonSyntaxError)
      throw apiError.badRequest(`couldn't get version/kind; json parse error: ${error.message}`)
    throw error
  }
}

/** DELETE of one object. */
export function remove(call: RegistryCall): Deleted {
  const options = readDeleteOptions(call)
  requestedKey(call, call.name)
  return removeObject(call, call.namespace, call.name, options)
}

/**
 * DELETE of a collection: objects are deleted one by one; those deleted meanwhile are skipped. A large collection takes
 * several turns: the request is replayed, and `once` keeps its progress.
 */
export function removeCollection(call: RegistryCall): ListPage {
  const options = readDeleteOptions(call)
  const begin = () => ({ found: collect(call), done: new Set<Stored>() })
  const { found, done } = call.once?.(begin) ?? begin()
  warnOfDependents(call, options)
  const { turn } = call.request
  let doneInTurnCount = 0
  for (const item of found.items) {
    if (done.has(item)) continue
    const isCheck = doneInTurnCount > 0 && doneInTurnCount % objectsPerCheckCount === 0
    if (isCheck && turn?.isOver === true) throw new TurnOver(turn)
    doneInTurnCount++
    requestedKey(call, call.name)
    const { namespace = '', name = '' } = item.object.metadata
    try {
      removeObject(call, namespace, name, options)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error
    }
    done.add(item)
  }
  return found
}

/** The delete itself, with parsed options. */
export function removeObject(call: RegistryCall, namespace: string, name: string, options: DeleteOptions): Deleted {
  const { resource, backend } = call
  const { strategy } = resource
  const key = storageKey(resource, namespace, name)
  warnOfDependents(call, options)
  const live = backend.store.get(key)
  if (live === undefined) throw apiError.notFound(resourceName(resource), name)
  checkPreconditions(call, live.object.metadata, options)
  // A Namespace that is terminating already is not marked again.
  const isGoing = live.object.metadata.deletionTimestamp !== undefined
  if (isGoing && strategy.holdsDeletion?.(live.object) === true) return terminatingResult(live.object, options, live)
  if (call.isAdmitted !== true) admitDelete(call, live.object, options.dryRun)

  const grace = graceOf(call, live.object, options)
  if (grace === 'pending') return terminatingResult(live.object, options, live)
  const finalizers = finalizersAfter(call, live.object.metadata, options)
  const held = finalizers.length > 0 || (strategy.holdsDeletion?.(live.object) ?? false)
  if (grace === undefined && !held) {
    if (options.dryRun) return deletedResult(call, live.object)
    const last = backend.store.delete(key, live.revision, (revision) =>
      withStoredResourceVersion(live.object, revision),
    ) as Stored
    return deletedResult(call, last.object)
  }
  const marked = markDeleting(call, live, finalizers, grace)
  const object = marked ?? live.object
  if (options.dryRun) return terminatingResult(object, options)
  const stored =
    marked === undefined
      ? live
      : (backend.store.put(
          key,
          live.revision,
          (revision) => withResourceVersion(marked, revision),
          asStored(live),
        ) as Stored)
  if (held || (grace?.seconds ?? 0) > 0) return terminatingResult(stored.object, options, stored)
  const last = backend.store.delete(key, stored.revision, (revision) =>
    withStoredResourceVersion(stored.object, revision),
  ) as Stored
  return deletedResult(call, last.object)
}

function warnOfDependents(
  { resource, warnings }: RegistryCall,
  { propagationPolicy, orphanDependents }: DeleteOptions,
): void {
  const { deleteWarning } = resource.strategy
  if (propagationPolicy === undefined && orphanDependents === undefined && deleteWarning !== undefined)
    warnings.add(deleteWarning)
}

/**
 * `pending`: already being deleted, with the same or a shorter grace period. Undefined: the kind has no grace period.
 */
type Grace = { readonly seconds: number; readonly at: number } | 'pending' | undefined

function graceOf(call: RegistryCall, object: KubeObject, options: DeleteOptions): Grace {
  const { strategy } = call.resource
  if (strategy.gracePeriod === undefined) return undefined
  const now = call.backend.env.now()
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata
  if (deletionTimestamp === undefined) {
    const seconds = strategy.gracePeriod(object, options.gracePeriodSeconds)
    return { seconds, at: now + seconds * 1000 }
  }
  if ((deletionGracePeriodSeconds ?? 0) === 0) return undefined
  const current = deletionGracePeriodSeconds as number
  const asked = options.gracePeriodSeconds
  if (asked === undefined || asked >= current) return 'pending'
  const at = Date.parse(deletionTimestamp) - current * 1000 + asked * 1000
  if (at >= now) return { seconds: asked, at }
  return { seconds: asked === 0 ? 0 : 1, at: now }
}

const orphan = 'orphan'
const foreground = 'foregroundDeletion'

/** The finalizers after the propagation policy has added or removed its own. */
function finalizersAfter(call: RegistryCall, metadata: ObjectMeta, options: DeleteOptions): string[] {
  const present = metadata.finalizers ?? []
  if (call.resource.strategy.defaultPropagation === 'None') return [...present]
  const rest = present.filter((finalizer) => finalizer !== orphan && finalizer !== foreground)
  if (shouldOrphan(call, present, options)) return same(present, [...rest, orphan])
  if (shouldWait(present, options)) return same(present, [...rest, foreground])
  return same(present, rest)
}

/** Keeps the current order if only the order would change. */
function same(present: readonly string[], next: string[]): string[] {
  if (present.length !== next.length) return next
  const known = new Set(present)
  return next.every((finalizer) => known.has(finalizer)) ? [...present] : next
}

function shouldOrphan(call: RegistryCall, present: readonly string[], options: DeleteOptions): boolean {
  if (options.orphanDependents !== undefined) return options.orphanDependents
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Orphan'
  if (present.includes(orphan)) return true
  if (present.includes(foreground)) return false
  return call.resource.strategy.defaultPropagation === 'Orphan'
}

function shouldWait(present: readonly string[], options: DeleteOptions): boolean {
  if (options.orphanDependents !== undefined) return false
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Foreground'
  return present.includes(foreground)
}

/** The object with deletionTimestamp, grace period and finalizers; undefined if it has them already. */
function markDeleting(
  call: RegistryCall,
  stored: Stored,
  finalizers: string[],
  grace: Exclude<Grace, 'pending'>,
): KubeObject | undefined {
  const live = stored.object
  const old = live.metadata
  const now = call.backend.env.now()
  const metadata: ObjectMeta = { ...old }
  if (finalizers.length > 0) metadata.finalizers = finalizers
  else delete metadata.finalizers
  const staysByItself = call.resource.strategy.holdsDeletion !== undefined
  if (!staysByItself && old.deletionTimestamp === undefined && (old.generation ?? 0) > 0)
    metadata.generation = (old.generation as number) + 1
  if (grace !== undefined) {
    metadata.deletionTimestamp = timestamp(grace.at)
    metadata.deletionGracePeriodSeconds = grace.seconds
  } else if (!(call.resource.strategy.holdsDeletion?.(live) ?? false)) {
    if (old.deletionTimestamp === undefined || Date.parse(old.deletionTimestamp) > now)
      metadata.deletionTimestamp = timestamp(now)
    metadata.deletionGracePeriodSeconds = 0
  } else if (old.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = timestamp(now)
  }
  const object = markKind(call, { ...live, metadata })
  const isMarked =
    old.deletionTimestamp === metadata.deletionTimestamp &&
    old.deletionGracePeriodSeconds === metadata.deletionGracePeriodSeconds &&
    (old.finalizers ?? []).join('\n') === finalizers.join('\n')
  return isMarked && stored.needsRewrite !== true && !isStale(call.backend.store, stored) ? undefined : object
}

/** Keeps the stored fields that the version of the request does not show. */
function asStored({ raw }: Stored): PutNotes | undefined {
  return raw && { storedFields: fieldsOf(raw.object) }
}

/** Some kinds show deletion in their status. */
function markKind(call: RegistryCall, object: KubeObject): KubeObject {
  const { strategy } = call.resource
  if (strategy.markDeleting === undefined) return object
  const fresh = cloneJson(object)
  strategy.markDeleting(fresh)
  return fresh
}

function checkPreconditions(call: RegistryCall, metadata: ObjectMeta, { preconditions }: DeleteOptions): void {
  if (call.resource.strategy.holdsDeletion !== undefined)
    return checkPreconditionsPlainly(call, metadata, preconditions)
  const kind = { group: call.resource.storedGroup ?? call.resource.group, resource: call.resource.kind }
  if (preconditions.uid !== undefined && preconditions.uid !== metadata.uid) {
    throw apiError.conflict(
      kind,
      metadata.name as string,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${metadata.uid}). ` +
        'The object might have been deleted and then recreated',
    )
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== metadata.resourceVersion) {
    throw apiError.conflict(
      kind,
      metadata.name as string,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion ` +
        `in record (${metadata.resourceVersion}). The object might have been modified`,
    )
  }
}

/** Kinds that handle deletion themselves use other messages. */
function checkPreconditionsPlainly(
  call: RegistryCall,
  metadata: ObjectMeta,
  preconditions: DeleteOptions['preconditions'],
): void {
  for (const [field, name] of [
    ['uid', 'UID'],
    ['resourceVersion', 'ResourceVersion'],
  ] as const) {
    const given = preconditions[field]
    if (given === undefined || given === metadata[field]) continue
    const why = `Precondition failed: ${name} in precondition: ${given}, ${name} in object meta: ${metadata[field]}`
    throw apiError.conflict(resourceName(call.resource), metadata.name as string, why)
  }
}

function terminatingResult(object: KubeObject, options: DeleteOptions, stored?: Stored): Deleted {
  const status = options.orphanDependents === false ? 202 : 200
  return stored === undefined ? { status, body: object } : { status, body: object, stored }
}

function deletedResult(call: RegistryCall, object: KubeObject): Deleted {
  if (call.resource.strategy.deleteReturnsObject) return { status: 200, body: object }
  const { name, uid } = object.metadata
  return { status: 200, body: deletedStatus(resourceName(call.resource), name as string, uid as string) }
}
