/**
 * A whole program, as an author would write it. Tests start it as a process. With FREEZES=TEXT it stops once before it
 * writes that.
 */
import { run } from '../../../src/operator/run-operator.ts'
import { greetings } from './greeting.ts'

const { POD_NAME = 'nobody', FREEZES } = process.env
let hasFrozen = false

await run({
  name: 'greeter',
  version: '1.2.3',
  controllers: [
    greetings(POD_NAME, (text) => {
      // As the system would, in the worst moment: what follows when it goes on follows without a turn of the event
      // loop.
      if (text !== FREEZES || hasFrozen) return
      hasFrozen = true
      process.kill(process.pid, 'SIGSTOP')
    }),
  ],
})
