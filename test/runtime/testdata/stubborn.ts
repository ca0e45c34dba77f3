/** A program whose reconcile never ends and ignores its signal. */
import { run } from '../../../src/operator/run-operator.ts'
import { controller } from '../../../src/controller/builder.ts'
import { Greeting } from './greeting.ts'

const stubborn = controller(Greeting).reconcile(({ log }) => {
  log.info('never done')
  return new Promise(() => undefined)
})

await run({ controllers: [stubborn] })
