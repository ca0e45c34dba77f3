/** Measures from sending a write to receiving its event on a watch: one writer, one watcher, one write at a time. */
import { Connection, type Target } from './connection.ts'
import { configMap } from './manifests.ts'
import { answered, type Latency } from './measure.ts'
import { processorTime } from './process-figures.ts'
import { percentile } from './statistics.ts'
import { requestBytes } from './template.ts'

const path = `${configMap.collection}/watched`

export async function measureWatch(target: Target, samples: number, pid?: number): Promise<Latency> {
  const watcher = await Connection.open(target)
  const writer = await Connection.open(target)
  const run = Date.now()
  const write = (method: string, at: string, value: string): Buffer => {
    const metadata = { name: 'watched' }
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } })
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    return requestBytes(target, { method, path: at, contentType, body })
  }
  try {
    await writer.exchange(write('POST', configMap.collection, 'first'))
    const nextLine = await watch(target, watcher)
    const times: number[] = []
    const cpuBefore = processorTime(pid)
    for (let i = 0; i < samples; i++) {
      const value = `v-${run}-${i}`
      const request = write('PATCH', path, value)
      const started = performance.now()
      const event = nextLine(value).then(() => times.push(performance.now() - started))
      await Promise.all([event, answered(writer, request)])
    }
    const cpu = ((processorTime(pid) - cpuBefore) * 1000) / samples
    await writer.exchange(requestBytes(target, { method: 'DELETE', path }))
    return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), cpu }
  } finally {
    watcher.close()
    writer.close()
  }
}

/** Starts a watch and waits for its first event. The returned function waits for a line with a given text. */
async function watch(target: Target, watcher: Connection): Promise<(part: string) => Promise<void>> {
  let wanted = ''
  let found: () => void = () => {}
  let lost: (why: Error) => void = () => {}
  let text = ''
  watcher.onBody = (part) => {
    text += part
    if (!text.endsWith('\n')) return
    if (text.includes(wanted)) found()
    text = ''
  }
  watcher.onLost = (why) => lost(why)
  watcher.onEnd = () => lost(new Error(`${target.name} ended the watch: ${watcher.status} ${watcher.errorText}`))
  const nextLine = (part: string): Promise<void> =>
    new Promise((resolve, reject) => {
      wanted = part
      found = resolve
      lost = reject
    })
  const first = nextLine('"watched"')
  const query = 'watch=true&fieldSelector=metadata.name%3Dwatched'
  watcher.write(requestBytes(target, { method: 'GET', path: `${configMap.collection}?${query}` }))
  await first
  return nextLine
}
