/** Creates a pod of a workload, with the events of kube-controller-manager. */
import { isNamespaceTerminating } from '../../api/index.ts'
import { Pod, type ApiObject, type Live, type ReconcileContext } from '../../index.ts'

type Context = Pick<ReconcileContext<ApiObject>, 'client' | 'signal' | 'event'>

/** In a namespace that is being deleted nothing can or needs to be created: that failure has no event. */
export async function createPod({ client, signal, event }: Context, pod: Pod): Promise<Live<Pod>> {
  try {
    const created = await client.create(Pod, pod, { signal, fieldManager: 'kube-controller-manager' })
    event('Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`)
    return created
  } catch (error) {
    if (!isNamespaceTerminating(error))
      event('Warning', 'FailedCreate', `Error creating: ${error instanceof Error ? error.message : String(error)}`)
    throw error
  }
}
