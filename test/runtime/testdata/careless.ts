/** A program with a floating promise and a timer that is never stopped. */
import { run } from '../../../src/operator/run-operator.ts'
import { controller } from '../../../src/controller/builder.ts'
import { Greeting } from './greeting.ts'

setInterval(() => undefined, 1_000)

const careless = controller(Greeting).reconcile(({ log }) => {
  void Promise.reject(new Error('forgotten'))
  log.info('done')
})

await run({ controllers: [careless] })
