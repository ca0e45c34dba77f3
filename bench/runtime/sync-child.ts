/**
 * Fills a cache with all Apps of a server, and tells what that took. `sync-child.ts KUBECONFIG list|watch-list COUNT`
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createCache } from '../../src/cache/index.ts'
import { realEnv } from '../../src/env/index.ts'
import { RestClient } from '../../src/client/index.ts'
import { App } from './app-kind.ts'
import { transportTo } from './connect.ts'

const [kubeconfig = '', mode = 'watch-list', count = '0'] = process.argv.slice(2)
const collect = (globalThis as { gc?: () => void }).gc ?? (() => undefined)
const env = realEnv()
const client = new RestClient({ env, transport: await transportTo(kubeconfig) })
const cache = createCache({ env, client, watchList: mode === 'watch-list' })
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
process.send?.({ wall, cpu: (user + system) / 1000, bytesPerObject: heap / size, stall: delay.max / 1e6 })
stop.abort()
await ended
process.exit(0)
