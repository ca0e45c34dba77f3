/** Finds what the app refers to, and with it what shall run. A try that was asked for is one of what the spec says. */
import { ConfigMap, Secret } from 'coxswain'
import { resolveConfig, type Digests } from '../config/checksum.ts'
import { referenceKey, references } from '../config/references.ts'
import { target } from '../state/revision.ts'
import { currentStatus, isAskedFor, type AppContext } from './context.ts'

export async function resolve(context: AppContext): Promise<void> {
  const { object: app, run, get } = context
  const wanted = references(app.spec)
  const found = new Map<string, Digests | undefined>()
  for (const { kind, name } of wanted) {
    const key = referenceKey(kind, name)
    if (!found.has(key)) found.set(key, await (kind === 'ConfigMap' ? get(ConfigMap, name) : get(Secret, name)))
  }
  run.config = resolveConfig(wanted, ({ kind, name }) => found.get(referenceKey(kind, name)))
  // Pods that run do not roll because something was taken away from under them.
  const checksum = run.config.missing.length === 0 ? run.config.checksum : app.status?.configChecksum
  run.target = target(app, checksum, currentStatus(context), isAskedFor(context))
}
