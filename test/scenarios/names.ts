/** Replaces generated names, ids, addresses and times by placeholders that are equal in every cluster. */
import type { Json, JsonObject } from '../../src/api/json.ts'
import { certificateText } from './certificate-text.ts'

/** The characters of generated names. */
const random = '[bcdfghjklmnpqrstvwxz2456789]'
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|([+-]\d\d:\d\d))$/
/** Jobs of a CronJob are named by the minute. */
const minute = /(?<=[a-z]-)\d{8}\b/g

/** The beginning of the base64 form of every text that begins with this one. */
const base64Of = (text: string): string =>
  Buffer.from(text)
    .toString('base64')
    .slice(0, Math.floor((text.length * 4) / 3))

export class Names {
  readonly #namespace: string
  readonly #places: boolean
  readonly #uids = new Map<string, string>()
  readonly #addresses = new Map<string, string>()
  /** The revision of each template hash. */
  readonly #hashes = new Map<string, string>()
  readonly #deployments = new Set<string>()
  readonly #prefixes = new Set<string>(['kube-api-access-'])

  constructor(
    everything: readonly JsonObject[],
    { namespace, places }: { readonly namespace: string; readonly places: boolean },
  ) {
    this.#namespace = namespace
    this.#places = places
    for (const object of everything) this.#learnNames(object)
    for (const object of everything) this.#learnIds(object)
  }

  #learnNames(object: JsonObject): void {
    const metadata = object['metadata'] as JsonObject
    const name = String(metadata['name'])
    const labels = (metadata['labels'] ?? {}) as JsonObject
    const about = (object['involvedObject'] ?? {}) as JsonObject
    if (object['kind'] === 'Deployment') this.#deployments.add(name)
    if (about['kind'] === 'Deployment') this.#deployments.add(String(about['name']))
    if (about['kind'] === 'ReplicaSet' || about['kind'] === 'ReplicationController')
      this.#prefixes.add(`${String(about['name'])}-`)
    if (object['kind'] === 'ReplicaSet') {
      this.#prefixes.add(`${name}-`)
      const revision = ((metadata['annotations'] ?? {}) as JsonObject)['deployment.kubernetes.io/revision']
      const hash = labels['pod-template-hash']
      if (hash !== undefined && revision !== undefined) this.#hashes.set(String(hash), `#${String(revision)}`)
    }
    if (object['kind'] === 'DaemonSet') this.#prefixes.add(`${name}-`)
    if (about['kind'] === 'DaemonSet') this.#prefixes.add(`${String(about['name'])}-`)
    const revisionHash = labels['controller-revision-hash']
    if (object['kind'] === 'ControllerRevision' && revisionHash !== undefined)
      this.#hashes.set(String(revisionHash), `#${String(object['revision'])}`)
    if (object['kind'] === 'Job') this.#learnJob(name)
    if (about['kind'] === 'Job') this.#learnJob(String(about['name']))
    if (metadata['generateName'] !== undefined) this.#prefixes.add(String(metadata['generateName']))
    // A slice that was updated as a whole has lost its generateName.
    if (object['kind'] === 'EndpointSlice') this.#prefixes.add(`${String(labels['kubernetes.io/service-name'])}-`)
  }

  /** Pods of an Indexed Job have their index in their names. */
  #learnJob(name: string): void {
    this.#prefixes.add(`${name}-`)
    for (let index = 0; index < 10; index++) this.#prefixes.add(`${name}-${index}-`)
  }

  #learnIds(object: JsonObject): void {
    const metadata = object['metadata'] as JsonObject
    const called = `${String(object['kind'])} ${this.inText(String(metadata['name']))}`
    this.#uids.set(String(metadata['uid']), `uid of ${called}`)
    const address = ((object['status'] ?? {}) as JsonObject)['podIP']
    if (object['kind'] === 'Pod' && typeof address === 'string') this.#addresses.set(address, `IP of ${called}`)
    const { clusterIP } = (object['spec'] ?? {}) as JsonObject
    if (object['kind'] === 'Service' && typeof clusterIP === 'string' && clusterIP !== 'None' && clusterIP !== '')
      this.#addresses.set(clusterIP, 'cluster IP')
  }

  inValue(value: Json): Json {
    if (typeof value === 'string') return this.inText(value)
    if (Array.isArray(value)) return value.map((item) => this.inValue(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [this.inText(key), this.inValue(child)]))
  }

  inText(text: string): string {
    const timed = time.exec(text)
    if (timed !== null) return `TIME${timed[1] ?? ''}`
    if (text.startsWith('-----BEGIN CERTIFICATE-----')) return 'CERTIFICATE'
    if (text.startsWith(base64Of('-----BEGIN CERTIFICATE REQUEST-----'))) return 'CERTIFICATE REQUEST'
    if (text.startsWith(base64Of('-----BEGIN CERTIFICATE-----'))) return certificateText(text)
    const address = this.#addresses.get(text)
    if (address !== undefined) return address
    let plain = text.replaceAll(this.#namespace, '{{ns}}').replaceAll(uuid, (uid) => this.#uids.get(uid) ?? 'UID')
    for (const [hash, revision] of this.#hashes) plain = plain.replaceAll(hash, revision)
    for (const name of this.#deployments) {
      plain = plain.replaceAll(new RegExp(String.raw`\b${name}-${random}{6,10}\b`, 'g'), `${name}-#gone`)
    }
    const prefixes = [...new Set([...this.#prefixes].map((prefix) => this.#withRevision(prefix)))].sort(
      (a, b) => b.length - a.length,
    )
    for (const prefix of prefixes) {
      plain = plain.replaceAll(
        new RegExp(`(?<![\\w-])${prefix.replaceAll('#', '\\#')}${random}{5}\\b`, 'g'),
        `${prefix}*`,
      )
    }
    plain = plain.replaceAll(minute, '*')
    return this.#places ? plain : plain.replaceAll(/\bnode-[123]\b/g, 'node-N')
  }

  #withRevision(prefix: string): string {
    for (const [hash, revision] of this.#hashes) if (prefix.includes(hash)) return prefix.replace(hash, revision)
    for (const name of this.#deployments)
      if (new RegExp(`^${name}-${random}{6,10}-$`).test(prefix)) return `${name}-#gone-`
    return prefix
  }
}
