/** The first entry of managedFields: the creator of an object owns all its fields. */
import { deepFreeze } from '../../api/json.ts'
import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts'
import { timestamp } from '../../env/env.ts'
import type { Shape } from '../../shape/shape.ts'
import type { TrackContext } from './context.ts'
import { memosOf } from './kind-memos.ts'
import { trackUpdate } from './track-update.ts'

/**
 * Sets `metadata.managedFields` of a new object as {@link trackUpdate} does. `now` is in milliseconds since the epoch.
 * `contextOf` is called only if no object of the same form was created recently. `asSent` is as for {@link
 * trackUpdate}.
 */
export function trackCreate(
  next: KubeObject,
  manager: string,
  { shape }: { readonly shape: Shape },
  now: number,
  contextOf: () => TrackContext,
  asSent?: () => KubeObject,
): void {
  const { created } = memosOf(shape)
  // Otherwise ownership depends on more than the form of the object.
  const isPlain = next.metadata.managedFields === undefined && asSent === undefined
  const known = isPlain ? created.entriesOf(next, manager, timestamp(now)) : undefined
  if (known !== undefined) {
    next.metadata.managedFields = known
    return
  }
  const context = contextOf()
  const isOrdinary = isPlain && context.subresource === '' && context.mayNotFit !== true
  const form = isOrdinary ? created.formOf(next, context) : undefined
  trackUpdate(undefined, next, manager, context, asSent)
  const entries: ManagedFieldsEntry[] | undefined = next.metadata.managedFields
  const fields = entries?.length === 1 ? entries[0]?.fieldsV1 : undefined
  if (form === undefined || fields === undefined) return
  deepFreeze(entries)
  created.remember(form, fields, context)
}
