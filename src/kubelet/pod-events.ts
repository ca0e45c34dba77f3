/** The events that a kubelet emits about its containers. */
import type { coreV1, Pod, ReconcileContext } from '../index.ts'

type Status = coreV1.ContainerStatus

export function podEvents({ object: pod, event }: ReconcileContext<Pod>, after: coreV1.PodStatus): void {
  const before = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ] as unknown as readonly Status[]
  for (const now of [...(after.initContainerStatuses ?? []), ...(after.containerStatuses ?? [])]) {
    const then = before.find(({ name }) => name === now.name)
    if (then === now) continue
    if (now.state?.running !== undefined && then?.state?.running === undefined) {
      event('Normal', 'Pulled', `Container image "${now.image}" already present on machine`)
      event('Normal', 'Created', 'Container created')
      event('Normal', 'Started', 'Container started')
    }
    const reason = now.state?.waiting?.reason
    if (reason === then?.state?.waiting?.reason) continue
    if (reason === 'ErrImagePull')
      event('Warning', 'Failed', `Failed to pull image "${now.image}": the simulated registry does not have it`)
    if (reason === 'ImagePullBackOff') event('Normal', 'BackOff', `Back-off pulling image "${now.image}"`)
    if (reason === 'CrashLoopBackOff')
      event(
        'Warning',
        'BackOff',
        `Back-off restarting failed container ${now.name} in pod ` +
          `${pod.metadata.name}_${pod.metadata.namespace ?? ''}(${pod.metadata.uid})`,
      )
  }
}
