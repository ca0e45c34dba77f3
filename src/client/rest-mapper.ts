/** Maps names that people and objects use to kinds. Discovery runs once, and again if a name is missing. */
import { parseApiVersion } from '../api/object.ts'
import type { Kind } from '../schema/kind.ts'
import { discover, type DiscoveryClient, type ServedKind } from './discovery.ts'

/** The server does not serve such a kind; a CRD may still add it. */
export class KindNotServedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'KindNotServedError'
  }
}

export interface KindQuery {
  readonly group: string
  /** Default: the version that the server prefers. */
  readonly version?: string | undefined
  readonly kind: string
}

/**
 * Expected flow: one mapper for each client, reused. Guarantee: a kind that is served at the time of the call is found.
 */
export class RestMapper {
  readonly #client: DiscoveryClient
  #known: readonly ServedKind[] | undefined
  #asking: Promise<readonly ServedKind[]> | undefined

  constructor(client: DiscoveryClient) {
    this.#client = client
  }

  /** All served kinds. */
  async served(): Promise<readonly ServedKind[]> {
    return this.#known ?? this.#ask()
  }

  /** Drops the cached discovery. */
  invalidate(): void {
    this.#known = undefined
  }

  /** Rejects with a {@link KindNotServedError}. */
  async kindFor({ group, version, kind }: KindQuery): Promise<Kind> {
    const fits = (served: ServedKind): boolean =>
      served.kind.kind === kind &&
      served.kind.group === group &&
      (version === undefined || served.kind.version === version)
    const what = `${kind} of ${group === '' ? 'the core group' : group}${version === undefined ? '' : ` in ${version}`}`
    return (await this.#find((all) => all.find(fits), what)).kind
  }

  /** The kind of an object, by its apiVersion and kind. */
  async kindOfObject({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string }): Promise<Kind> {
    const version = apiVersion === undefined ? undefined : parseApiVersion(apiVersion)
    if (version === undefined || kind === undefined) throw new TypeError('the object says no apiVersion and kind')
    return this.kindFor({ ...version, kind })
  }

  /**
   * By a name as users write it: `deploy`, `deployment`, `deployments`, `Deployment`, `deployments.apps`,
   * `deployments.v1.apps`.
   */
  async find(name: string): Promise<ServedKind> {
    return this.#find((all) => byName(all, name), JSON.stringify(name))
  }

  /** Runs discovery again if the cached result does not have it. */
  async #find(search: (all: readonly ServedKind[]) => ServedKind | undefined, what: string): Promise<ServedKind> {
    const known = this.#known
    const found = (known && search(known)) ?? search(await this.#ask())
    if (found !== undefined) return found
    throw new KindNotServedError(
      `the server does not serve ${what}: is its CustomResourceDefinition installed, and the version served?`,
    )
  }

  #ask(): Promise<readonly ServedKind[]> {
    this.#asking ??= discover(this.#client)
      .then((all) => (this.#known = all))
      .finally(() => (this.#asking = undefined))
    return this.#asking
  }
}

/** The first in the server's order. Plurals take precedence over singulars and kinds, and these over short names. */
function byName(all: readonly ServedKind[], name: string): ServedKind | undefined {
  const [first = '', ...rest] = name.split('.')
  const word = first.toLowerCase()
  const places: ((kind: Kind) => boolean)[] =
    rest.length === 0
      ? [() => true]
      : [
          ({ group }) => group === rest.join('.'),
          ({ group, version }) => version === rest[0] && group === rest.slice(1).join('.'),
        ]
  const names: ((served: ServedKind) => boolean)[] = [
    ({ kind }) => kind.plural === word,
    ({ kind, singular }) => singular === word || kind.kind.toLowerCase() === word,
    ({ shortNames }) => shortNames.includes(word),
  ]
  for (const isThere of places) {
    for (const isCalled of names) {
      const found = all.find((served) => isThere(served.kind) && isCalled(served))
      if (found !== undefined) return found
    }
  }
  return undefined
}
