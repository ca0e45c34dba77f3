/** Cycles of a work queue (add, take, done) per second: `queue-child.ts fifo|priority` */
import { fifoQueue, priorityQueue } from '../../src/queue/index.ts'
import { realEnv } from '../../src/env/index.ts'

const queue = (process.argv[2] === 'priority' ? priorityQueue : fifoQueue)(realEnv())
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
