/** Reads what an operator sees of a cluster, and what a copy of it needs. Never writes. */
import { isForbidden, isNotFound } from '../api/error-reasons.ts'
import type { ObjectKey } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import { KindNotServedError, RestMapper } from '../client/rest-mapper.ts'
import { reading, type Access } from '../controller/access.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { CustomResourceDefinition, Namespace } from '../schema/builtin/kinds.ts'
import { kindName, type Kind } from '../schema/kind.ts'
import { withoutServerFields, withType, type Manifest } from './manifest.ts'

export interface ReadScope {
  /** Default: all. */
  readonly namespaces: readonly string[] | undefined
  /** Kinds to leave out, by plural: `secrets`. */
  readonly without: readonly string[]
  /** Read in any case, whatever their kind. */
  readonly requested: readonly Manifest[]
  /** The namespace of manifests that name none. */
  readonly namespace: string
}

export interface ClusterObjects {
  readonly objects: readonly Manifest[]
  /** CRDs of kinds that the operator knows only by name. */
  readonly definitions: readonly object[]
  /** What was not read and is therefore missing in the plan. */
  readonly warnings: readonly string[]
}

/** The kinds that controllers reconcile, own, watch or read, from the cache or the server, each once. */
export function seenKinds(controllers: readonly ControllerDefinition[]): readonly Kind[] {
  const all = controllers.flatMap(({ kind, sources, access }) => [
    kind,
    ...sources.map((source) => source.kind),
    ...access.filter(readsAll).map((each) => each.kind),
  ])
  return [...new Map(all.map((kind) => [`${kind.apiVersion} ${kind.plural}`, kind])).values()]
}

/** Objects of any name, and not a subresource. */
function readsAll({ verbs, names, subresource }: Access): boolean {
  return names === undefined && subresource === undefined && verbs.some((verb) => reading.includes(verb))
}

/** Rejects if something must not be read, with the option that leaves it out. */
export async function clusterObjects(
  client: Client,
  controllers: readonly ControllerDefinition[],
  scope: ReadScope,
): Promise<ClusterObjects> {
  return new Reading(client, scope).read(seenKinds(controllers))
}

class Reading {
  readonly #client: Client
  readonly #scope: ReadScope
  readonly #objects = new Map<string, Manifest>()
  readonly #definitions = new Map<string, object>()
  readonly #warnings: string[] = []

  constructor(client: Client, scope: ReadScope) {
    this.#client = client
    this.#scope = scope
  }

  async read(kinds: readonly Kind[]): Promise<ClusterObjects> {
    const { without, requested } = this.#scope
    const isLeftOut = ({ plural }: Kind): boolean => without.includes(plural)
    for (const kind of kinds.filter(isLeftOut)) this.#leaveOut(kind)
    await Promise.all(kinds.filter((kind) => !isLeftOut(kind)).map((kind) => this.#list(kind)))
    const mapper = new RestMapper(this.#client)
    for (const manifest of requested) await this.#requested(mapper, manifest)
    await this.#namespaces()
    return {
      objects: [...this.#objects.values()],
      definitions: [...this.#definitions.values()],
      warnings: this.#warnings,
    }
  }

  #leaveOut(kind: Kind): void {
    const warning = `${kindName(kind)} were not read (--without): to the plan there are none`
    if (!this.#warnings.includes(warning)) this.#warnings.push(warning)
  }

  async #list(kind: Kind): Promise<void> {
    const { namespaces } = this.#scope
    await this.#define(kind)
    for (const namespace of kind.namespaced ? (namespaces ?? [undefined]) : [undefined]) {
      const list = await readable(kind, this.#client.list(kind, { namespace }))
      if (list === undefined)
        return void this.#warnings.push(
          `the cluster does not serve ${kindName(kind)} in ${kind.version}: to the plan there are none`,
        )
      for (const item of list.items) this.#add(withType(kind, item))
    }
  }

  /** Also of kinds that the operator does not see. */
  async #requested(mapper: RestMapper, manifest: Manifest): Promise<void> {
    const kind = await mapper.kindOfObject(manifest).catch((error: unknown) => {
      if (!(error instanceof KindNotServedError)) throw error
    })
    if (kind === undefined) return
    if (this.#scope.without.includes(kind.plural)) return this.#leaveOut(kind)
    await this.#define(kind)
    const { name = '', namespace = this.#scope.namespace } = manifest.metadata
    await this.#get(kind, kind.namespaced ? { namespace, name } : { name })
  }

  /** Namespaces that contain an object or will. Without permission to read them, they are copied without labels. */
  async #namespaces(): Promise<void> {
    const inUse = [...this.#objects.values()].flatMap(({ metadata }) => metadata.namespace ?? [])
    for (const name of new Set([...inUse, ...(this.#scope.namespaces ?? [])])) {
      await this.#get(Namespace, { name }).catch((error: unknown) => {
        if (!isForbidden(error instanceof Error ? error.cause : error)) throw error
        this.#warnings.push(`the labels of namespace ${name} are unknown: it cannot be read`)
      })
    }
  }

  async #get(kind: Kind, key: ObjectKey): Promise<void> {
    const found = await readable(kind, this.#client.get(kind, key))
    if (found !== undefined) this.#add(withType(kind, found))
  }

  #add(object: Manifest): void {
    const { namespace = '', name = '', uid = '' } = object.metadata
    this.#objects.set(uid === '' ? `${object.apiVersion} ${object.kind} ${namespace}/${name}` : uid, object)
  }

  /**
   * For kinds without a CRD in the operator that are not built in. Without their conversion webhooks, which would be
   * called.
   */
  async #define(kind: Kind): Promise<void> {
    if ((kind as { readonly crd?: object }).crd !== undefined || !kind.group.includes('.')) return
    const isMaybeBuiltIn = kind.group.endsWith('.k8s.io')
    const found = await readable(kind, this.#client.get(CustomResourceDefinition, { name: kindName(kind) })).catch(
      (error: unknown) => {
        if (!isMaybeBuiltIn) throw error
      },
    )
    if (found === undefined) return
    const { spec, ...rest } = withoutServerFields(found as never) as {
      readonly spec: { readonly conversion?: unknown }
    }
    const { conversion: _conversion, ...own } = spec
    this.#definitions.set(kindName(kind), { ...rest, spec: own })
  }
}

/** Undefined if it does not exist. */
async function readable<Answer>(kind: Kind, answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (!isForbidden(error)) throw error
    throw new Error(
      `${(error as Error).message}: a plan reads what the operator reads; leave them out with --without ${kind.plural}`,
      { cause: error },
    )
  }
}
