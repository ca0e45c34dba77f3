/** Finds what the app refers to, and with it what shall run: known before the first step. */
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

export interface Resolved {
  readonly config: ResolvedConfig
  readonly target: Target
}

/** A try that was asked for is one of what the spec says, whether or not that has failed. */
export async function resolve(context: ReconcileContext<WebApp>): Promise<Resolved> {
  const { object: app, get } = context
  const wanted = references(app.spec)
  const found = new Map<string, Digests | undefined>()
  for (const { kind, name } of wanted) {
    const key = referenceKey(kind, name)
    if (!found.has(key)) found.set(key, await (kind === 'ConfigMap' ? get(ConfigMap, name) : get(Secret, name)))
  }
  const config = resolveConfig(wanted, ({ kind, name }) => found.get(referenceKey(kind, name)))
  // Pods that run do not roll because something was taken away from under them.
  const checksum = config.missing.length === 0 ? config.checksum : app.status?.configChecksum
  return { config, target: target(app, checksum, app.status, isAskedFor(context)) }
}
