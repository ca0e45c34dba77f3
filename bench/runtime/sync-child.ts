/** Measures how a cache is filled with all Apps of a server: `sync-child.ts TREE KUBECONFIG list|watch-list COUNT`. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { importNames } from '../baseline/entry-points.ts'
import { appKind } from './app-kind.ts'
import { transportTo } from './connect.ts'

const [root = '', kubeconfig = '', mode = 'watch-list', count = '0'] = process.argv.slice(2)
const collect = (globalThis as { gc?: () => void }).gc ?? (() => undefined)
const names = ['clusterTransport', 'createCache', 'loadAccess', 'realEnv', 'resource', 'RestClient', 't'] as const
const used = await importNames(root, names)
const App = appKind(used)
const env = used.realEnv()
const client = new used.RestClient({ env, transport: await transportTo(kubeconfig, used) })
const cache = used.createCache({ env, client, watchList: mode === 'watch-list' })
const informer = cache.informer(App)
collect()
const heapBefore = process.memoryUsage().heapUsed
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
const cpu = process.cpuUsage()
const started = performance.now()
const stop = new AbortController()
const ended = cache.run(stop.signal)
await informer.whenSynced()
const wall = performance.now() - started
const { user, system } = process.cpuUsage(cpu)
delay.disable()
collect()
collect()
const heap = process.memoryUsage().heapUsed - heapBefore
const { size } = informer.lister
if (size !== Number(count)) throw new Error(`${size} objects in the cache, ${count} on the server`)
process.send?.({
  wall,
  cpu: (user + system) / 1000,
  bytesPerObject: heap / size,
  stall: delay.max / 1e6,
  peakMemory: process.resourceUsage().maxRSS / 1024,
})
stop.abort()
await ended
process.exit(0)
