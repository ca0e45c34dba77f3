/** A program with a promise that nobody waits for, and a timer that nobody stops. */
import { run } from '../../../src/operator/run-operator.ts'
import { controller } from '../../../src/controller/builder.ts'
import { Greeting } from './greeting.ts'

setInterval(() => undefined, 1_000)

const careless = controller(Greeting).reconcile(({ log }) => {
  void Promise.reject(new Error('forgotten'))
  log.info('done')
})

await run({ controllers: [careless] })
