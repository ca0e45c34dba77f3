/**
 * An hour at rest: the operator is started at the end of a step, alone, and nobody changes anything. It must write
 * nothing, and must not be busy. The cluster around it stands still, which makes the hour cheap.
 */
import type { Snapshot } from '../cluster/embedded-handle.ts'
import { embedded } from '../cluster/embedded.ts'
import { failingText } from '../cluster/failing-keys.ts'
import type { ExploredCluster } from './trial.ts'

const minuteMs = 60_000
/** More reconciles than this within a minute at rest are a hot loop: ten a second. */
const maxReconciles = 600
const shown = 3
/** The warning of the runtime. */
const stuckText = 'reconcile is still running'

export async function problemsAtRest(options: ExploredCluster, from: Snapshot): Promise<readonly string[]> {
  const cluster = await embedded({ ...options, nodes: 0, builtin: [], from })
  try {
    if (cluster.failing.length > 0) return [`restarted at rest, ${failingText(cluster.failing)}`]
    const writes: string[] = []
    const stuck = (): boolean => cluster.logs.some((line) => line.includes(stuckText))
    for (let minute = 0; minute < 60; minute++) {
      const before = cluster.reconciles
      writes.push(...(await cluster.writesDuring(minuteMs)))
      const busy = cluster.reconciles - before
      if (busy > maxReconciles)
        return [`at rest it reconciled ${busy} times within a minute: requeue less often, or watch what you wait for`]
    }
    if (stuck()) return ['at rest a reconcile was reported as stuck: it takes longer than a minute']
    if (writes.length === 0) return []
    const more = writes.length > shown ? ` and ${writes.length - shown} more` : ''
    return [`at rest it wrote ${writes.slice(0, shown).join(', ')}${more} within an hour`]
  } finally {
    await cluster.stop()
  }
}
