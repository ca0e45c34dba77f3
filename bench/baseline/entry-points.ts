/**
 * The adapter between this benchmark and the built package of any tree. A comparison loads the same names from two
 * commits whose entry points differ: `Manager`, for example, was exported by `coxswain` at first, and later by
 * `coxswain/manager`. So a measurement lists the names that it needs, and this file finds them: it imports the entry
 * points of the tree's package.json, one after the other, until it has every name. Entry points that most programs do
 * not load come last, so that the memory of a measured process contains as little else as possible.
 *
 * The types are those of this tree. If an option was renamed, a measurement passes both names.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as cache from '../../src/cache/index.ts'
import type * as client from '../../src/client/index.ts'
import type * as controlplane from '../../src/controlplane/index.ts'
import type * as env from '../../src/env/index.ts'
import type * as manager from '../../src/manager/index.ts'
import type * as queue from '../../src/queue/index.ts'
import type * as main from '../../src/index.ts'

export type Package = typeof main &
  typeof cache &
  typeof client &
  typeof controlplane &
  typeof env &
  typeof manager &
  typeof queue

const last = ['./operator', './controlplane', './testing', './plan']

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

/** The files of the entry points, by name (`.`, `./client`), in the order in which they are searched. */
export function entryPoints(root: string): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const found = Object.entries(exports)
    .map(([name, target]) => [name, join(root, typeof target === 'string' ? target : target.default)] as const)
    .filter(([, file]) => file.endsWith('.js'))
  return new Map(found.sort(([a], [b]) => last.indexOf(a) - last.indexOf(b)))
}

/** The first entry points that together export these names. Throws if a name is exported nowhere. */
export async function locateNames(root: string, names: readonly (keyof Package)[]): Promise<readonly string[]> {
  const files: string[] = []
  const missing = new Set<string>(names)
  for (const file of entryPoints(root).values()) {
    if (missing.size === 0) break
    const module = (await import(pathToFileURL(file).href)) as object
    const found = [...missing].filter((name) => name in module)
    if (found.length > 0) files.push(file)
    for (const name of found) missing.delete(name)
  }
  if (missing.size > 0) throw new Error(`the package in ${root} does not export ${[...missing].join(', ')}`)
  return files
}

/** Imports values from the package of a tree, from whichever entry points export them. */
export async function importNames<Name extends keyof Package>(
  root: string,
  names: readonly Name[],
): Promise<Pick<Package, Name>> {
  const modules = (await locateNames(root, names)).map((file) => import(pathToFileURL(file).href) as Promise<object>)
  const all = Object.assign({}, ...(await Promise.all(modules))) as Package
  return all
}
