/** Finds what the app refers to, and with it what should run. */
import { ConfigMap, isNotFound, Secret, type ReconcileContext } from 'coxswain'
import type { DeepReadonly } from 'coxswain/api'
import { resolveConfig, withDigests, type Digests, type ResolvedConfig } from '../config/checksum.ts'
import { referenceKey, references, type Reference } from '../config/references.ts'
import type { Settings } from '../options.ts'
import type { WebApp } from '../schema/webapp.ts'
import { target, type Target } from '../state/revision.ts'

export const reconcileAtAnnotation = 'coxswain.dev/reconcile-at'

/** The annotation asks for a try that was not made yet. */
export function isAskedFor({ object: { metadata, status } }: ReconcileContext<WebApp>): boolean {
  const token = metadata.annotations?.[reconcileAtAnnotation]
  return token !== undefined && token !== status?.lastHandledReconcileAt
}

export interface Resolution {
  readonly config: ResolvedConfig
  /** Something could not be read. */
  readonly failure: { readonly error: unknown } | undefined
}

/** Looks up every ConfigMap and Secret that the app refers to. */
export async function resolve(context: ReconcileContext<WebApp>, settings: Settings): Promise<Resolution> {
  const { spec, status } = context.object
  const wanted = references(spec)
  const found = new Map<string, DeepReadonly<Digests> | undefined>()
  try {
    for (const reference of wanted) {
      const key = referenceKey(reference.kind, reference.name)
      if (!found.has(key)) found.set(key, await lookUp(context, settings, reference))
    }
  } catch (error) {
    return { config: { checksum: status?.configChecksum, missing: [] }, failure: { error } }
  }
  const config = resolveConfig(wanted, ({ kind, name }) => found.get(referenceKey(kind, name)))
  return { config, failure: undefined }
}

/** Secrets that are not watched are read from the server, by name: that needs no right to list them. */
async function lookUp(
  { key: { namespace }, get, client, signal }: ReconcileContext<WebApp>,
  { watchSecrets }: Settings,
  { kind, name }: Reference,
): Promise<DeepReadonly<Digests> | undefined> {
  if (kind === 'ConfigMap') return get(ConfigMap, name)
  if (watchSecrets) return get(Secret, name)
  try {
    return withDigests((await client.get(Secret, { namespace, name }, { signal })) as Secret)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** What should run. A requested retry tries what the spec says, whether or not that has failed before. */
export function targetOf(context: ReconcileContext<WebApp>, config: ResolvedConfig): Target {
  const { object: app } = context
  // Running pods do not roll because a ConfigMap or Secret was deleted.
  const checksum = config.missing.length === 0 ? config.checksum : app.status?.configChecksum
  return target(app, checksum, app.status, isAskedFor(context))
}
