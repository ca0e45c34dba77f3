/**
 * Ports of a Service are told apart by their numbers. A number that somebody else has changed is to an apply a port of his, beside
 * which ours cannot be, since both have the same name: the server refuses it. So the list is replaced as a whole.
 */
import { keyOf, Service, type ApiObject, type Json, type Kind, type Live, type Partially } from 'coxswain'
import type { AppContext } from './context.ts'
import { releasingManager, valueAt } from './left-to-others.ts'

const portsOf = (object: unknown): readonly { readonly port?: number }[] => (valueAt(object, ['spec', 'ports']) ?? []) as []

/** Somebody else's ports stand beside ours, or in their place. */
export function hasForeignPorts(kind: Kind, wanted: Partially<ApiObject>, existing: Live<ApiObject>): boolean {
  const ours = new Set(portsOf(wanted).map(({ port }) => port))
  return kind.kind === Service.kind && portsOf(existing).some(({ port }) => !ours.has(port))
}

export async function takeBackPorts(
  { client, signal, event }: AppContext, wanted: Partially<ApiObject>, existing: Live<ApiObject>,
): Promise<void> {
  const { name, uid, resourceVersion } = existing.metadata
  const { metadata } = await client.get(Service, keyOf(existing), { signal })
  const patch = { metadata: { uid, resourceVersion }, spec: { ports: portsOf(wanted) } } as unknown as Json
  await client.patch(Service, keyOf(existing), { type: 'merge', patch }, { signal, fieldManager: releasingManager })
  const culprit = lastOwnerOfPorts(metadata.managedFields ?? [])
  event('Warning', 'DriftRepaired', `Service ${name}: spec.ports was not as it should be (changed by ${culprit}); put right`)
}

function lastOwnerOfPorts(entries: NonNullable<Live<ApiObject>['metadata']['managedFields']>): string {
  const hasPorts = (fields: unknown): boolean => valueAt(fields, ['f:spec', 'f:ports']) !== undefined
  const owners = entries.filter(({ manager, fieldsV1 }) => manager !== releasingManager && hasPorts(fieldsV1))
  return owners.toSorted((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))[0]?.manager ?? 'somebody'
}
