/**
 * The volume with the token of a service account, the CA certificates of the server and the namespace, and its mounts
 * in the containers of a pod.
 *
 * The name of the volume is drawn once, not for each pod: pods of one template then have equal specs, which are one
 * value (`api/recurring-part.ts`), and are validated once.
 */
import { cloneJson, type Json, type JsonObject } from '../../api/json.ts'
import { generatedName } from '../../api/names.ts'
import { freezeReplacement, isRecurring, thaw } from '../../api/recurring-part.ts'
import type { WriteContext } from '../contract/resource.ts'
import { items, text } from '../resources/shared/values.ts'

const prefix = 'kube-api-access-'
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'
/** An hour and seven seconds, as upstream: tells these tokens from tokens that were requested for one hour. */
const tokenSeconds = 3607

type List = Json | undefined

/** The lists of a recurring pod spec, before and after the token was mounted. */
interface MountedLists {
  readonly volumesBefore: List
  readonly initContainersBefore: List
  readonly volumes: Json
  readonly initContainers: List
  readonly containers: Json
}

/** The token volume of one server. */
export class TokenVolume {
  #name: string | undefined
  /** By the containers of a recurring pod spec. */
  readonly #mounted = new WeakMap<object, MountedLists>()

  /** A container with a mount at the path of the token keeps it. A volume with the prefix of its name is used. */
  mount(spec: JsonObject, context: WriteContext): void {
    const known = this.#mounted.get(spec.containers as JsonObject[])
    const isKnown = known?.volumesBefore === spec.volumes && known?.initContainersBefore === spec.initContainers
    if (known === undefined || !isKnown) {
      this.#mountUnknown(spec, context)
      return
    }
    spec.volumes = known.volumes
    spec.containers = known.containers
    if (known.initContainers !== undefined) spec.initContainers = known.initContainers
  }

  #mountUnknown(spec: JsonObject, context: WriteContext): void {
    const { volumes: volumesBefore, initContainers: initContainersBefore, containers: containersBefore } = spec
    if (!items(containersBefore).some(lacksMount) && !items(initContainersBefore).some(lacksMount)) return
    const present = items(volumesBefore).find(({ name }) => text(name).startsWith(prefix))
    const name = present === undefined ? (this.#name ??= newName(context)) : text(present.name)
    const isRecurringSpec = recurs(volumesBefore) && recurs(initContainersBefore) && recurs(containersBefore)
    if (!isRecurringSpec) thaw(spec)
    if (spec.initContainers !== undefined) spec.initContainers = withMounts(spec.initContainers, name)
    if (spec.containers !== undefined) spec.containers = withMounts(spec.containers, name)
    if (present === undefined) spec.volumes = withVolume(spec.volumes, name)
    if (!isRecurringSpec || containersBefore === undefined) return
    const { volumes, initContainers, containers } = spec
    for (const list of [volumes, initContainers, containers])
      if (list !== undefined && !recurs(list)) freezeReplacement(list as JsonObject[])
    this.#mounted.set(containersBefore as JsonObject[], {
      volumesBefore,
      initContainersBefore,
      volumes: volumes as Json,
      initContainers,
      containers: containers as Json,
    })
  }
}

function newName({ env }: WriteContext): string {
  return generatedName(prefix, () => env.random())
}

function recurs(list: List): boolean {
  return list === undefined || isRecurring(list as JsonObject[])
}

function lacksMount({ volumeMounts }: JsonObject): boolean {
  return !items(volumeMounts).some((mount) => mount.mountPath === mountPath)
}

function withMounts(containers: Json, name: string): JsonObject[] {
  const copy = cloneJson(containers) as JsonObject[]
  for (const container of copy) {
    if (!lacksMount(container)) continue
    container.volumeMounts = [...items(container.volumeMounts), { name, readOnly: true, mountPath }]
  }
  return copy
}

function withVolume(volumes: List, name: string): JsonObject[] {
  const copy = (cloneJson(volumes) ?? []) as JsonObject[]
  copy.push({ name, projected: { sources: tokenSources(), defaultMode: 0o644 } })
  return copy
}

function tokenSources(): JsonObject[] {
  return [
    { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] },
    },
  ]
}
