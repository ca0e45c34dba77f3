/** The module of an operator with webhooks. */
import { operator } from '../../../src/operator/operator.ts'
import { controller } from '../../../src/controller/builder.ts'
import { check, Shop, tag } from '../../../src/webhooks/testdata/shop.ts'

export default operator({
  name: 'shopkeeper',
  controllers: [controller(Shop).reconcile(() => undefined)],
  webhooks: [check, tag],
})
