/** The state of one key in a queue, as long as it waits or is processed. */
export class QueueEntry {
  readonly key: string
  /** The priority of its next run. */
  priority = 0
  /** In the ready list, and since when. */
  ready = false
  readySince = 0
  /** Its level in the ready list: its priority or, after aging, a higher one. */
  level = 0
  /** Increases when the entry moves in the ready list; earlier places are then stale. */
  place = 0
  /** Taken by a worker, and since when. */
  processing = false
  takenAt = 0
  /** Added while it is processed: ready again when that is done. */
  again = false
  /** When it becomes ready; meaningful while it is in the delay heap. */
  dueAt = 0
  /** Its position in the delay heap; -1: not there. */
  heapIndex = -1
  /** Breaks ties in the heap by order of arrival. */
  heapOrder = 0

  constructor(key: string) {
    this.key = key
  }
}
