/** A controller that copies each Secret of a type into a ConfigMap, and does it again every 700 ms. */
import { ConfigMap, controller, requeueAfter, Secret } from '../../../src/index.ts'

export const copiedType = 'example.dev/copied'

export const copies = controller(Secret)
  .named('copies')
  .owns(ConfigMap)
  .reconcile(async ({ object, apply }) => {
    if (object.type !== copiedType) return undefined
    await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { owner: object.metadata.uid } })
    // Keys become due also while the cache is stale.
    return requeueAfter(700)
  })
