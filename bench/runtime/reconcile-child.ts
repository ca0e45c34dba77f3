/** Reconciles per second of a manager over all Apps of a server: `reconcile-child.ts KUBECONFIG none|status COUNT` */
import { controller } from '../../src/index.ts'
import { Manager } from '../../src/manager/index.ts'
import { App } from './app-kind.ts'
import { transportTo } from './connect.ts'

const [kubeconfig = '', write = 'none', count = '0'] = process.argv.slice(2)
let runs = 0
let done = (): void => undefined
const all = new Promise<void>((resolve) => {
  done = resolve
})
const apps = controller(App)
  .options({ concurrency: 10 })
  .reconcile(({ object, status }) => {
    if (write === 'status' && object.status?.phase !== 'Seen')
      status.set({ phase: 'Seen', round: (object.status?.round ?? 0) + 1 })
    else if (++runs === Number(count)) done()
  })
const manager = new Manager({ transport: await transportTo(kubeconfig), controllers: [apps] })
const stop = new AbortController()
const cpu = process.cpuUsage()
const started = performance.now()
const ended = manager.run(stop.signal)
await manager.whenWorking()
const synced = performance.now()
const cpuSynced = process.cpuUsage(cpu)
await all
const wall = performance.now() - synced
const { user, system } = process.cpuUsage(cpu)
process.send?.({
  perSecond: Number(count) / (wall / 1000),
  cpuPerRun: (user + system - cpuSynced.user - cpuSynced.system) / Number(count),
  syncMs: synced - started,
  rss: process.memoryUsage().rss / 2 ** 20,
})
stop.abort()
await ended
process.exit(0)
