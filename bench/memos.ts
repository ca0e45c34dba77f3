/** Prints the hit rates of a control plane's memos (`src/api/memo.ts`). */
import type { MemoCounter } from '../src/controlplane/index.ts'

/** One line for each memo. */
export function memoTable(counters: readonly MemoCounter[]): string {
  const lines = counters.map(({ name, capacity, instances, hits, misses }) => {
    const rate = hits + misses === 0 ? '-' : `${((100 * hits) / (hits + misses)).toFixed(1)} %`
    return [name, `${instances} x ${capacity}`, hits.toLocaleString('en'), misses.toLocaleString('en'), rate]
  })
  const table = [['memo', 'tables x entries', 'hits', 'misses', 'hit rate'], ...lines]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? []
  return table
    .map((line) => line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))))
    .map((line) => `${line.join('  ')}\n`)
    .join('')
}
