/** References to secrets in a pod spec, and the check that its service account allows them. */
import type { JsonObject } from '../../api/json.ts'
import { items, struct, text } from '../resources/shared/values.ts'

/** The secrets that pods of a service account may refer to. */
export interface Mountable {
  readonly account: string
  readonly secrets: ReadonlySet<string>
  readonly pullSecrets: ReadonlySet<string>
}

const volumesWithSecretRef = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'] as const

export function referencesSecrets(spec: JsonObject): boolean {
  if (items(spec.imagePullSecrets).length > 0) return true
  const containers = [...items(spec.initContainers), ...items(spec.containers), ...items(spec.ephemeralContainers)]
  return containers.some((container) => secretsOf(container).length > 0) || items(spec.volumes).some(usesSecret)
}

function usesSecret(volume: JsonObject): boolean {
  if (volume.secret !== undefined || volume.azureFile !== undefined) return true
  if (volumesWithSecretRef.some((type) => struct(volume[type])?.secretRef !== undefined)) return true
  if (struct(volume.csi)?.nodePublishSecretRef !== undefined) return true
  return items(struct(volume.projected)?.sources).some(({ secret }) => secret !== undefined)
}

interface Reference {
  readonly secret: string
  /** `envVar NAME` or `envFrom`. */
  readonly by: string
}

function secretsOf(container: JsonObject): Reference[] {
  const found: Reference[] = []
  for (const variable of items(container.env)) {
    const reference = struct(struct(variable.valueFrom)?.secretKeyRef)
    if (reference !== undefined) found.push({ secret: text(reference.name), by: `envVar ${text(variable.name)}` })
  }
  for (const source of items(container.envFrom)) {
    const reference = struct(source.secretRef)
    if (reference !== undefined) found.push({ secret: text(reference.name), by: 'envFrom' })
  }
  return found
}

/** A message about the first reference that the account does not allow. */
export function forbiddenReference(spec: JsonObject, mountable: Mountable): string | undefined {
  for (const volume of items(spec.volumes)) {
    const secret = struct(volume.secret)
    if (secret === undefined) continue
    const name = text(secret.secretName)
    if (!mountable.secrets.has(name))
      return `volume with secret.secretName="${name}" ${notReferenced(mountable, 'secret')}`
  }
  const problem =
    firstForbidden(items(spec.initContainers), 'init container', mountable) ??
    firstForbidden(items(spec.containers), 'container', mountable)
  if (problem !== undefined) return problem
  for (const [i, reference] of items(spec.imagePullSecrets).entries()) {
    const name = text(reference.name)
    if (mountable.pullSecrets.has(name)) continue
    return `imagePullSecrets[${i}].name="${name}" ${notReferenced(mountable, 'imagePullSecret')}`
  }
  return undefined
}

export function secretsOfEphemeral(spec: JsonObject, mountable: Mountable): string | undefined {
  return firstForbidden(items(spec.ephemeralContainers), 'ephemeral container', mountable)
}

function firstForbidden(containers: readonly JsonObject[], called: string, mountable: Mountable): string | undefined {
  for (const container of containers) {
    const wrong = secretsOf(container).find(({ secret }) => !mountable.secrets.has(secret))
    if (wrong === undefined) continue
    return (
      `${called} ${text(container.name)} with ${wrong.by} referencing secret.secretName="${wrong.secret}" ` +
      notReferenced(mountable, 'secret')
    )
  }
  return undefined
}

function notReferenced({ account }: Mountable, what: string): string {
  return `is not allowed because service account ${account} does not reference that ${what}`
}
