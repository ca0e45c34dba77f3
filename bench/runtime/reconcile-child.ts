/** Measures reconciles of a manager for all Apps of a server: `reconcile-child.ts TREE KUBECONFIG none|status COUNT` */
import { importNames } from '../baseline/entry-points.ts'
import { appKind } from './app-kind.ts'
import { transportTo } from './connect.ts'

const [root = '', kubeconfig = '', write = 'none', count = '0'] = process.argv.slice(2)
const names = ['clusterTransport', 'controller', 'loadAccess', 'Manager', 'realEnv', 'resource', 't'] as const
const used = await importNames(root, names)
let runs = 0
let done = (): void => undefined
const all = new Promise<void>((resolve) => {
  done = resolve
})
const apps = used
  .controller(appKind(used))
  .options({ concurrency: 10 })
  .reconcile(({ object, status }) => {
    if (write === 'status' && object.status?.phase !== 'Seen')
      status.set({ phase: 'Seen', round: (object.status?.round ?? 0) + 1 })
    else if (++runs === Number(count)) done()
  })
const manager = new used.Manager({ transport: await transportTo(kubeconfig, used), controllers: [apps] })
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
  peakMemory: process.resourceUsage().maxRSS / 1024,
})
stop.abort()
await ended
process.exit(0)
