/** An operator with a mistake for each text. Its code is shown in docs/how-to/troubleshooting.md. */
import { ConfigMap } from '../../../src/schema/builtin/kinds.ts'
import { controller } from '../../../src/controller/builder.ts'
import { run } from '../../../src/operator/run-operator.ts'
import { Greeting } from './greeting.ts'

const prices = process.env['PRICES'] ?? ''
const sizes = JSON.parse('{}') as { readonly throw: { readonly bytes: number } }

const greetings = controller(Greeting).reconcile(async ({ object, get, log }) => {
  const { text } = object.spec
  if (text === 'throw') log.info('size', { bytes: sizes.throw.bytes })
  if (text === 'fetch') await fetch(prices)
  if (text === 'read') await get(ConfigMap, 'a')
  if (text === 'float') void Promise.reject(new Error('forgotten'))
  if (text === 'block') {
    const end = performance.now() + 2_500
    while (performance.now() < end);
  }
})

await run({ name: 'greetings', controllers: [greetings] })
