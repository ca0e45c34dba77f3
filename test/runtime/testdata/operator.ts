/**
 * A complete program, as users write it. Tests start it as a process. With FREEZES=TEXT it stops itself (SIGSTOP) once
 * before it writes that text.
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
      // The worst moment: after SIGCONT the write follows without a turn of the event loop.
      if (text !== FREEZES || hasFrozen) return
      hasFrozen = true
      process.kill(process.pid, 'SIGSTOP')
    }),
  ],
})
