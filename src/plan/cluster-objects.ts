/** What an operator sees of a cluster, and what it needs to be seen again elsewhere: read, and nothing else. */
import { isForbidden, isNotFound } from '../api/error-reasons.ts'
import type { Client } from '../client/client.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { CustomResourceDefinition, Namespace } from '../schema/builtin/kinds.ts'
import { kindName, type Kind } from '../schema/kind.ts'
import { asWritten, type Manifest } from './manifest.ts'

export interface Scope {
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined
  /** Kinds that are not read, by their plural: `secrets`. */
  readonly without: readonly string[]
}

export interface ClusterObjects {
  readonly objects: readonly Manifest[]
  /** Of kinds that the operator knows by name alone. */
  readonly definitions: readonly object[]
}

/** The kinds that controllers reconcile, own, watch and read, each once. */
export function seenKinds(controllers: readonly ControllerDefinition[]): readonly Kind[] {
  const all = controllers.flatMap(({ kind, sources }) => [kind, ...sources.map((source) => source.kind)])
  return [...new Map(all.map((kind) => [`${kind.apiVersion} ${kind.plural}`, kind])).values()]
}

/** Rejects where something may not be read, and says what to do. */
export async function clusterObjects(client: Client, controllers: readonly ControllerDefinition[], scope: Scope): Promise<ClusterObjects> {
  const kinds = seenKinds(controllers).filter(({ plural }) => !scope.without.includes(plural))
  const read = await Promise.all([Namespace as Kind, ...kinds].map((kind) => objectsOf(client, kind, scope)))
  const objects = read.flat()
  const places = new Set(objects.map(({ metadata }) => metadata.namespace))
  const isWanted = ({ kind, apiVersion, metadata }: Manifest): boolean => kind !== 'Namespace' || apiVersion !== 'v1' || places.has(metadata.name)
    || scope.namespaces?.includes(metadata.name ?? '') === true
  const definitions = await Promise.all(kinds.filter(isKnownByName).map((kind) => definitionOf(client, kind)))
  return { objects: objects.filter(isWanted), definitions: definitions.flat() }
}

async function objectsOf(client: Client, kind: Kind, { namespaces }: Scope): Promise<Manifest[]> {
  const places = kind.namespaced ? (namespaces ?? [undefined]) : [undefined]
  const lists = await Promise.all(places.map((namespace) => readable(kind, client.list(kind, { namespace }))))
  const { apiVersion, kind: name } = kind
  return lists.flatMap((list) => (list?.items ?? []).map((item) => ({ ...item, apiVersion, kind: name }) as unknown as Manifest))
}

/** Undefined where the kind is not served. */
async function readable<Answer>(kind: Kind, answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (!isForbidden(error)) throw error
    throw new Error(`${(error as Error).message}: a plan reads what the operator reads; leave them out with --without ${kind.plural}`, { cause: error })
  }
}

function isKnownByName(kind: Kind): boolean {
  return (kind as { readonly crd?: object }).crd === undefined && kind.group.includes('.') && !kind.group.endsWith('.k8s.io')
}

async function definitionOf(client: Client, kind: Kind): Promise<object[]> {
  const found = await readable(CustomResourceDefinition, client.get(CustomResourceDefinition, { name: kindName(kind) }))
  return found === undefined ? [] : [asWritten(found as never)]
}
