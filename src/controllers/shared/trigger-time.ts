/** The time of the change that an endpoints update is for; clients measure the programming latency from it. */
import { keyText, type Live, type ObjectKey, type Pod, type Service } from '../../index.ts'

export const triggerAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time'

interface Known {
  readonly service: number
  /** The time of the last readiness change, by name of the pod. */
  readonly pods: ReadonlyMap<string, number>
}

/** The last observed state of each Service. A new process starts without it, as upstream does. */
export class TriggerTimes {
  readonly #known = new Map<string, Known>()

  /** The earliest change since the last run; for a new Service, its creation. Undefined: no relevant change. */
  next(service: Live<Service>, pods: readonly Live<Pod>[]): string | undefined {
    const { namespace, name, creationTimestamp = '' } = service.metadata
    const before = this.#known.get(keyText({ namespace, name }))
    const created = Date.parse(creationTimestamp)
    const changes = new Map(
      pods.flatMap((pod) => {
        const time = readyChange(pod)
        return time === undefined ? [] : [[pod.metadata.name, time] as const]
      }),
    )
    this.#known.set(keyText({ namespace, name }), {
      service: created,
      pods: new Map([...changes].map(([pod, time]) => [pod, Date.parse(time)])),
    })
    if (before === undefined) return creationTimestamp
    const changedTimes = [...changes]
      .filter(([pod, time]) => Date.parse(time) > (before.pods.get(pod) ?? -Infinity))
      .map(([, time]) => time)
    return [...changedTimes, ...(created > before.service ? [creationTimestamp] : [])].sort(
      (a, b) => Date.parse(a) - Date.parse(b),
    )[0]
  }

  forget(key: ObjectKey): void {
    this.#known.delete(keyText(key))
  }
}

function readyChange({ status }: Live<Pod>): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime
}
