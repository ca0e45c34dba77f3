/** Measures cycles of a work queue (add, take, done) per second: `queue-child.ts TREE fifo|priority` */
import { importNames } from '../baseline/entry-points.ts'

const [root = '', kind] = process.argv.slice(2)
const { fifoQueue, priorityQueue, realEnv } = await importNames(root, ['fifoQueue', 'priorityQueue', 'realEnv'])
const queue = (kind === 'priority' ? priorityQueue : fifoQueue)(realEnv())
const keys = Array.from({ length: 1000 }, (_, i) => `namespace/object-${i}`)

function cycle(rounds: number): void {
  for (let round = 0; round < rounds; round++) {
    for (const key of keys) queue.add(key)
    for (let item = queue.tryTake(); item !== undefined; item = queue.tryTake()) queue.done(item.key)
  }
}

cycle(500)
const rounds = 3000
const cpu = process.cpuUsage()
cycle(rounds)
const { user, system } = process.cpuUsage(cpu)
process.send?.({ perSecond: (rounds * keys.length) / ((user + system) / 1e6) })
