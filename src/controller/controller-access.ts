/** The API access of a controller that follows from its declarations. */
import { isObject, type Json } from '../api/json.ts'
import type { Kind } from '../schema/kind.ts'
import { reading, type Access } from './access.ts'
import type { ControllerDefinition } from './definition.ts'

/** `where`: only in these namespaces. */
export type ControllerAccess = Access & { readonly where?: readonly string[] | undefined }

export function controllerAccess({
  kind,
  informer,
  sources,
  finalizers,
  access,
}: ControllerDefinition): readonly ControllerAccess[] {
  const owned = sources.filter(({ type }) => type === 'owned')
  return [
    { verbs: reading, kind, where: informer.namespaces },
    ...(finalizers.length === 0 ? [] : [{ verbs: ['patch'], kind } as const]),
    ...(hasStatus(kind) ? [{ verbs: ['patch'], kind, subresource: 'status' } as const] : []),
    // Owned objects block the deletion of their owner. Some clusters require `update` of the owner's finalizers for
    // that.
    ...(owned.length === 0 ? [] : [{ verbs: ['update'], kind, subresource: 'finalizers' } as const]),
    ...sources.map((source) => ({ verbs: reading, kind: source.kind, where: source.informer.namespaces })),
    ...owned.map((source) => ({ verbs: ['create', 'patch'], kind: source.kind }) as const),
    ...access,
  ]
}

/**
 * Only kinds with a schema have this information. For others the controller declares it: `.may('patch', { kind,
 * subresource: 'status' })`.
 */
function hasStatus(kind: Kind): boolean {
  const { schema } = kind as { readonly schema?: Json }
  const properties = isObject(schema) ? schema['properties'] : undefined
  return isObject(properties) && properties['status'] !== undefined
}
