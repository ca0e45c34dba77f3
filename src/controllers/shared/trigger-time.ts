/** When that happened which endpoints were last changed for: by it the delay until they are in use is measured. */
import { keyText, type Live, type ObjectKey, type Pod, type Service } from '../../index.ts'

export const triggerAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time'

interface Known {
  readonly service: number
  /** By the pod's name, when it became ready or not ready last. */
  readonly pods: ReadonlyMap<string, number>
}

/** What was known of each Service when it was looked at last. A new process begins anew, as upstream's does. */
export class TriggerTimes {
  readonly #known = new Map<string, Known>()

  /**
   * The first of the changes since the last look; of a Service that is looked at for the first time, its creation.
   * Undefined: nothing that could be told has changed.
   */
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
    const news = [...changes]
      .filter(([pod, time]) => Date.parse(time) > (before.pods.get(pod) ?? -Infinity))
      .map(([, time]) => time)
    return [...news, ...(created > before.service ? [creationTimestamp] : [])].sort(
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
