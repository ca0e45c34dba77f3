/**
 * A checksum over what an app refers to. The values themselves are never kept: the cache holds a digest of each, which
 * is enough to see that one has changed, and small.
 */
import { hash } from 'node:crypto'
import type { ConfigMap, Secret } from 'coxswain'
import type { DeepReadonly } from 'coxswain/api'
import type { Reference } from './references.ts'

/** A ConfigMap or Secret as the cache has it: digests in place of values. */
export interface Digests {
  readonly data?: Readonly<Record<string, string>> | undefined
  readonly binaryData?: Readonly<Record<string, string>> | undefined
}

export interface ResolvedConfig {
  /** Undefined where the app refers to nothing. */
  readonly checksum?: string | undefined
  /** What is not there though it must be. */
  readonly missing: readonly MissingReference[]
}

export interface MissingReference {
  readonly path: string
  readonly message: string
}

const digestForm = /^sha256:[\w+/]{43}=$/

function digest(value: string): string {
  return digestForm.test(value) ? value : `sha256:${hash('sha256', value, 'base64')}`
}

function digests(values: Readonly<Record<string, string>> | undefined): Record<string, string> | undefined {
  return values === undefined
    ? undefined
    : Object.fromEntries(Object.entries(values).map(([key, value]) => [key, digest(value)]))
}

/** For the cache: runs once for each version, and again on what it gave without a change. */
export function withDigests<T extends ConfigMap | Secret>(object: T): T {
  const { apiVersion, kind, metadata, data } = object
  const { name, namespace, uid, resourceVersion } = metadata
  const binary = 'binaryData' in object ? { binaryData: digests(object.binaryData) } : {}
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, data: digests(data), ...binary } as T
}

/** `find` gives what is there. */
export function resolveConfig(
  references: readonly Reference[],
  find: (reference: Reference) => DeepReadonly<Digests> | undefined,
): ResolvedConfig {
  if (references.length === 0) return { missing: [] }
  const missing: MissingReference[] = []
  const lines = references.map((reference) => {
    const { kind, name, key, optional, path } = reference
    const found = find(reference)
    const values = { ...found?.data, ...found?.binaryData }
    const isThere = found !== undefined && (key === undefined || Object.hasOwn(values, key))
    if (!isThere && !optional) {
      missing.push({
        path,
        message: found === undefined ? `there is no ${kind} ${name}` : `${kind} ${name} has no key ${key ?? ''}`,
      })
    }
    const used =
      key === undefined ? Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)) : [[key, values[key] ?? '']]
    return JSON.stringify([kind, name, isThere ? used : null])
  })
  return { checksum: hash('sha256', [...new Set(lines)].sort().join('\n'), 'hex').slice(0, 16), missing }
}
