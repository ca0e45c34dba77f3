/** A program that writes five times a second: its name and a count into a ConfigMap for each Secret of a type. */
import { ConfigMap, controller, requeueAfter, Secret } from '../../../src/index.ts'
import { run } from '../../../src/operator/run-operator.ts'
import { copiedType } from './copies.ts'

const { POD_NAME: by = 'nobody' } = process.env
let count = 0

const counts = controller(Secret)
  .named('counts')
  .owns(ConfigMap)
  .reconcile(async ({ object, apply }) => {
    if (object.type !== copiedType) return undefined
    await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { by, count: String(++count) } })
    return requeueAfter(200)
  })

await run({ name: 'counter', controllers: [counts] })
