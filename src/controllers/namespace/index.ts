/**
 * The namespace controller, for namespaces in deletion: 1 delete their content, pods first, 2 report what remains in
 * conditions, 3 remove the finalizer when nothing remains.
 */
import { controller, mutableCopy, Namespace, requeueAfter } from '../../index.ts'
import { deleteContent } from './content.ts'
import { conditionsOf, errorsOf } from './content-deletion.ts'

const finalizer = 'kubernetes'

export const namespaces = controller(Namespace)
  .named('namespace-controller')
  .options({ concurrency: 10, fieldManager: 'kube-controller-manager' })
  .deleting(async ({ object: namespace, client, signal, status, now }) => {
    const finalizers = namespace.spec?.finalizers ?? []
    if (finalizers.length === 0) return undefined
    const outcome = await deleteContent({ client, namespace, now: now(), signal })
    const errors = errorsOf(outcome)
    if (errors.length > 0 || outcome.remaining.size > 0) {
      status.set({ phase: 'Terminating', conditions: conditionsOf(namespace, outcome, now()) })
      if (errors.length > 0) throw errors[0]
      return requeueAfter((Math.floor(outcome.estimate / 2) + 1) * 1000)
    }
    const emptied = { ...mutableCopy(namespace), spec: { finalizers: finalizers.filter((name) => name !== finalizer) } }
    await client.update(Namespace, emptied, { subresource: 'finalize', signal })
    return undefined
  })
  .reconcile(() => undefined)
