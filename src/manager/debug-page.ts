/** The debug page: each controller's queue, and its last runs with their triggers. Plain text, for people. */
import { timestamp } from '../env/env.ts'
import { kindName } from '../schema/kind.ts'
import type { Trigger } from '../controller/triggers.ts'
import type { Manager } from './manager.ts'
import type { PastRun } from './run-history.ts'

export function debugPage(manager: Manager): string {
  const { cache, controllers } = manager
  const lines = [`state: ${manager.state}`]
  const leads = manager.leadership.describe()
  if (leads !== undefined) lines.push(leads)
  lines.push('', 'caches')
  for (const { kind, state, synced, silenceMs, resourceVersion, lister } of cache.informers) {
    lines.push(
      `  ${kindName(kind)}: ${lister.size} objects at version ` +
        `${resourceVersion === '' ? '-' : resourceVersion}, ${synced ? state : `not synced, ${state}`}, last ` +
        `news ${Math.round(silenceMs / 1000)} s ago`,
    )
  }
  for (const { name, queue } of controllers) {
    lines.push(
      '',
      `controller ${name}: ${queue.depth} ready, ${queue.processingCount} in hand, ${queue.waitingCount} ` +
        'waiting for their time',
    )
    for (const run of manager.history.get(name)?.runs ?? []) lines.push(...runLines(run))
  }
  return `${lines.join('\n')}\n`
}

function runLines({ key, reconcileId, startedAt, ended, attempt, triggers }: PastRun): string[] {
  const outcome = ended === undefined ? 'running' : `${ended.outcome}, after ${ended.at - startedAt} ms`
  const more = triggers.count - triggers.first.length
  return [
    `  ${timestamp(startedAt)} ${key}${attempt > 1 ? ` (try ${attempt})` : ''}: ${outcome} [${reconcileId}]`,
    ...triggers.first.map((trigger) => `    ${describe(trigger)}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ]
}

function describe({ verb, kind, namespace, name, changed }: Trigger): string {
  const which = namespace === undefined ? name : `${namespace}/${name}`
  return `${verb} ${kind} ${which}${changed.length === 0 ? '' : `: ${changed.join(', ')}`}`
}
