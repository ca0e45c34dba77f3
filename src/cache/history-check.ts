/**
 * Whether a server still has the history that a store was read from, or was rolled back since: restored from a backup,
 * restarted without its data, or replaced by another one. See docs/internals/adr/0021-rolled-back-servers.md.
 *
 * The versions of a server that was rolled back may have overtaken those of the store, so that a comparison of numbers
 * shows nothing. But a store that is complete up to version V knows every object that has a version up to V. In the
 * same history, each object of the server is therefore stored with this uid and version, or is newer than V. An object
 * that differs is of another history. An object that the server does not have is gone in either history: it is removed.
 */
import type { ApiObject, Live } from '../api/live-object.ts'
import { onMicrotasksDone } from '../env/real.ts'
import type { OpenWatch } from './open-watch.ts'
import type { ReflectorOptions, ReflectorStore } from './reflector-store.ts'
import { compareResourceVersions } from './resource-version-order.ts'

/**
 * Reads the metadata of all objects, in pages. Rejects as the client does, and if the watch fails meanwhile, as it does
 * when the server is silent.
 */
export async function isSameHistory<T extends ApiObject>(
  options: ReflectorOptions<T>,
  target: ReflectorStore<T>,
  watch: OpenWatch<T>,
): Promise<boolean> {
  options.probe.opened(watch)
  try {
    return await compare(options, target, watch)
  } catch (error) {
    watch.check()
    throw error
  } finally {
    options.probe.closed(watch)
  }
}

async function compare<T extends ApiObject>(
  { client, kind, turn, probe, selection, pageSize, listTimeoutMs }: ReflectorOptions<T>,
  target: ReflectorStore<T>,
  watch: OpenWatch<T>,
): Promise<boolean> {
  const { namespace, labelSelector, fieldSelector } = selection
  const seen = new Set<string>()
  let next: string | undefined
  do {
    const page = await client.list(kind, {
      namespace,
      labelSelector,
      fieldSelector,
      metadataOnly: true,
      limit: pageSize,
      continue: next,
      timeoutMs: listTimeoutMs,
      signal: watch.signal,
    })
    turn.resume()
    probe.seen()
    watch.check()
    const { resourceVersion = '' } = page.metadata
    if (compareResourceVersions(resourceVersion, target.version) < 0) return false
    for (const object of page.items) {
      if (!isPossible(object, target)) return false
      seen.add(object.metadata.uid)
      if (turn.isOver()) await turn.others()
    }
    next = page.metadata.continue
  } while (next !== undefined && next !== '')
  // An error of the watch that has arrived is read before the store changes.
  await new Promise<void>(onMicrotasksDone)
  watch.check()
  target.remove(Array.from(target.store.values()).filter(({ metadata }) => !seen.has(metadata.uid)))
  return true
}

/** Whether an object of the server fits to a store that is complete up to its version. */
function isPossible<T extends ApiObject>(object: Live<T>, target: ReflectorStore<T>): boolean {
  const { uid, resourceVersion, generation } = object.metadata
  if (compareResourceVersions(resourceVersion, target.version) > 0) return true
  const stored = target.store.counterpart(object)?.metadata
  return stored?.uid === uid && stored.resourceVersion === resourceVersion && stored.generation === generation
}
