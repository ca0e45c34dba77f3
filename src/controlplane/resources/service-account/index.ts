/** ServiceAccount: only the names of its secrets are kept. */
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { entry, items, text } from '../shared/values.ts'

const enforce = 'kubernetes.io/enforce-mountable-secrets'

function keepNames(object: KubeObject): void {
  const secrets = items(object.secrets)
  if (secrets.length > 0) object.secrets = secrets.map(({ name }) => (text(name) === '' ? {} : { name: text(name) }))
}

export const serviceAccount: KindStrategy = {
  prepareForCreate: keepNames,
  prepareForUpdate: keepNames,
  warnings: (object, old) => {
    if (old !== undefined && entry(old.metadata.annotations, enforce) !== undefined) return []
    if (entry(object.metadata.annotations, enforce) === undefined) return []
    const message = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets'
    return [`metadata.annotations[${enforce}]: ${message}`]
  },
}
