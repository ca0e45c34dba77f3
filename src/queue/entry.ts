/** What a queue knows of one key, from its first add until it neither waits nor is worked on. */
export class QueueEntry {
  readonly key: string
  /** Of its next run. */
  priority = 0
  /** In the ready list, and since when. */
  ready = false
  readySince = 0
  /** Where it stands in the ready list, which is its priority or, once it has aged, higher. */
  level = 0
  /** Grows when the entry changes its place in the ready list; older places are void. */
  place = 0
  /** In a worker's hands, and since when. */
  processing = false
  takenAt = 0
  /** Added while worked on: ready again once that is done. */
  again = false
  /** When it becomes ready; meaningful while it is in the delay heap. */
  dueAt = 0
  /** Its position in the delay heap; -1: not there. */
  heapIndex = -1
  /** Ties in the heap go by order of arrival. */
  heapOrder = 0

  constructor(key: string) {
    this.key = key
  }
}
