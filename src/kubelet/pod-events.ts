/** The events that a kubelet emits about its containers. */
import type { coreV1, Pod, ReconcileContext } from '../index.ts'
import { overdue } from './pod-status.ts'

type Status = coreV1.ContainerStatus

export function podEvents({ object: pod, event }: ReconcileContext<Pod>, after: coreV1.PodStatus): void {
  const isOverdue = after.reason === overdue.reason
  if (isOverdue) event('Normal', overdue.reason, overdue.message)
  const inits = after.initContainerStatuses ?? []
  const mains = after.containerStatuses ?? []
  const areMainsOver = mains.every(({ state }) => state?.terminated !== undefined)
  const before = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ] as unknown as readonly Status[]
  for (const now of [...inits, ...mains]) {
    const then = before.find(({ name }) => name === now.name)
    if (then === now) continue
    if (now.state?.running !== undefined && then?.state?.running === undefined) {
      event('Normal', 'Pulled', `Container image "${now.image}" already present on machine`)
      event('Normal', 'Created', 'Container created')
      event('Normal', 'Started', 'Container started')
    }
    // Containers that end by themselves are not among these.
    const isStopped = isOverdue || (areMainsOver && inits.includes(now))
    if (isStopped && now.state?.terminated !== undefined && then?.state?.running !== undefined)
      event('Normal', 'Killing', `Stopping container ${now.name}`)
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
