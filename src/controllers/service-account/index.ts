/** Creates the ServiceAccount `default` in each namespace, for pods that name no other. */
import { controller, Namespace, ServiceAccount } from '../../index.ts'
import { createUnlessTerminating } from './create-once.ts'

const name = 'default'

export const serviceAccounts = controller(Namespace)
  .named('serviceaccount-controller')
  .watches(ServiceAccount, {
    map: ({ metadata }) => (metadata.name === name ? [{ name: metadata.namespace ?? '' }] : []),
  })
  .options({ fieldManager: 'kube-controller-manager' })
  .reconcile(async ({ object: { metadata }, get, client, signal }) => {
    const namespace = metadata.name
    if ((await get(ServiceAccount, { namespace, name })) !== undefined) return
    await createUnlessTerminating(client.create(ServiceAccount, { metadata: { namespace, name } }, { signal }))
  })
