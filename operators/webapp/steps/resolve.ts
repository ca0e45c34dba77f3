/** Finds what the app refers to, and with it what should run. */
import { ConfigMap, Secret, type ReconcileContext } from 'coxswain'
import { resolveConfig, type Digests, type ResolvedConfig } from '../config/checksum.ts'
import { referenceKey, references } from '../config/references.ts'
import type { WebApp } from '../schema/webapp.ts'
import { target, type Target } from '../state/revision.ts'

export const reconcileAtAnnotation = 'coxswain.dev/reconcile-at'

/** The annotation asks for a try that was not made yet. */
export function isAskedFor({ object: { metadata, status } }: ReconcileContext<WebApp>): boolean {
  const token = metadata.annotations?.[reconcileAtAnnotation]
  return token !== undefined && token !== status?.lastHandledReconcileAt
}

/** Looks up every ConfigMap and Secret that the app refers to. */
export async function resolve({ object: app, get }: ReconcileContext<WebApp>): Promise<ResolvedConfig> {
  const wanted = references(app.spec)
  const found = new Map<string, Digests | undefined>()
  for (const { kind, name } of wanted) {
    const key = referenceKey(kind, name)
    if (!found.has(key)) found.set(key, await (kind === 'ConfigMap' ? get(ConfigMap, name) : get(Secret, name)))
  }
  return resolveConfig(wanted, ({ kind, name }) => found.get(referenceKey(kind, name)))
}

/** What should run. A requested retry tries what the spec says, whether or not that has failed before. */
export function targetOf(context: ReconcileContext<WebApp>, config: ResolvedConfig): Target {
  const { object: app } = context
  // Running pods do not roll because a ConfigMap or Secret was deleted.
  const checksum = config.missing.length === 0 ? config.checksum : app.status?.configChecksum
  return target(app, checksum, app.status, isAskedFor(context))
}
