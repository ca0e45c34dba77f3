/** RequestAudit: what only the execution of a request shows, for its entry in the audit log. */
import type { Json } from '../../api/json.ts'

export interface RequestAudit {
  /** The request is executed again from its start: nothing of the last time counts. */
  restart(): void
  /** The decoded and defaulted object, or the options of a delete. Copied, since the caller may change it. */
  object(object: Json): void
  /** The body is a patch that will be applied. */
  patch(): void
  /** The first value of a key counts. `level`: the lowest level that has it, by default Metadata. */
  annotate(key: string, value: string, level?: 'Metadata' | 'Request'): void
  /** The version of the resource is deprecated. */
  deprecated(): void
}
