/** Kubeconfig files: reads them, validates each field, and merges them as kubectl does. */
import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { isObject, type Json, type JsonObject } from '../api/json.ts'

/** An error in a kubeconfig: the file, the field, and what to do. */
export class KubeconfigError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'KubeconfigError'
  }
}

/** An entry of a file: its fields and its position. */
export interface KubeconfigEntry {
  readonly name: string
  /** The file's path: relative paths in the entry start in its folder. */
  readonly file: string
  /** `clusters[0].cluster` */
  readonly at: string
  readonly fields: JsonObject
}

/** All files merged. Of entries with the same name the first counts as a whole; so does the first current-context. */
export interface Kubeconfig {
  readonly files: readonly string[]
  readonly currentContext: string | undefined
  readonly clusters: ReadonlyMap<string, KubeconfigEntry>
  readonly users: ReadonlyMap<string, KubeconfigEntry>
  readonly contexts: ReadonlyMap<string, KubeconfigEntry>
}

/** Missing files are ignored unless `required`. Rejects with a {@link KubeconfigError}. */
export async function readKubeconfig(paths: readonly string[], required: boolean): Promise<Kubeconfig> {
  const files: string[] = []
  const [clusters, users, contexts] = [
    new Map<string, KubeconfigEntry>(),
    new Map<string, KubeconfigEntry>(),
    new Map<string, KubeconfigEntry>(),
  ]
  let currentContext: string | undefined
  for (const path of new Set(paths)) {
    const text = await readText(path, required)
    if (text === undefined) continue
    files.push(path)
    const root = await parse(path, text)
    currentContext ??= textField(root, 'current-context', path, '') || undefined
    collect(root, 'clusters', 'cluster', path, clusters)
    collect(root, 'users', 'user', path, users)
    collect(root, 'contexts', 'context', path, contexts)
  }
  return { files, currentContext, clusters, users, contexts }
}

async function readText(path: string, required: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !required) return undefined
    throw new KubeconfigError(
      code === 'ENOENT' ? `the kubeconfig ${path} does not exist` : `the kubeconfig ${path} cannot be read: ${message}`,
      error,
    )
  }
}

async function parse(path: string, text: string): Promise<JsonObject> {
  let root: unknown
  try {
    // Loaded only here: in a cluster there is no YAML to read, and JSON is YAML, too.
    root = /^\s*\{/.test(text) ? JSON.parse(text) : ((await import('yaml')).parse(text) as unknown)
  } catch (error) {
    throw new KubeconfigError(`${path} is not YAML${positionOf(error)}`)
  }
  if (root === null || root === undefined) return {}
  if (isObject(root)) return root
  throw new KubeconfigError(`${path} is not a kubeconfig: it must be a map with clusters, users and contexts`)
}

/** Only where the error is: the parser's message quotes the file, which may contain secrets. */
function positionOf(error: unknown): string {
  const { code, linePos } = error as { code?: string; linePos?: readonly { line: number; col: number }[] }
  const [start] = linePos ?? []
  if (start !== undefined) return `: line ${start.line}, column ${start.col} (${String(code)})`
  const [position] = /at position \d+/.exec((error as Error).message) ?? []
  return position === undefined ? '' : `: ${position}`
}

function collect(
  root: JsonObject,
  list: string,
  field: string,
  file: string,
  into: Map<string, KubeconfigEntry>,
): void {
  const items = root[list] ?? []
  if (!Array.isArray(items)) throw new KubeconfigError(`${file}: ${list} must be a list`)
  for (const [i, item] of items.entries()) {
    const at = `${list}[${i}]`
    if (!isObject(item)) throw new KubeconfigError(`${file}: ${at} must be a map with name and ${field}`)
    const name = textField(item, 'name', file, at)
    const fields = item[field] ?? {}
    if (name === undefined || name === '') throw new KubeconfigError(`${file}: ${at} has no name`)
    if (!isObject(fields)) throw new KubeconfigError(`${file}: ${at}.${field} must be a map`)
    if (!into.has(name)) into.set(name, { name, file, at: `${at}.${field}`, fields })
  }
}

/** Resolves a path of a kubeconfig: relative paths start in the folder of the file. */
export function besides(file: string, path: string): string {
  return isAbsolute(path) ? path : join(dirname(file), path)
}

/** The text of a field; undefined if it is absent or null. */
export function textField(fields: JsonObject, name: string, file: string, at: string): string | undefined {
  const value = fields[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw new KubeconfigError(`${file}: ${pathTo(at, name)} must be text, not ${describe(value)}: put it in quotes`)
}

export function flagField(fields: JsonObject, name: string, file: string, at: string): boolean {
  const value = fields[name] ?? false
  if (typeof value === 'boolean') return value
  throw new KubeconfigError(`${file}: ${pathTo(at, name)} must be true or false, not ${describe(value)}`)
}

export function textsField(fields: JsonObject, name: string, file: string, at: string): string[] | undefined {
  const value = fields[name] ?? undefined
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((item): item is string => typeof item === 'string')) return value
  throw new KubeconfigError(`${file}: ${pathTo(at, name)} must be a list of texts, not ${describe(value)}`)
}

export function mapField(fields: JsonObject, name: string, file: string, at: string): JsonObject | undefined {
  const value = fields[name] ?? undefined
  if (value === undefined || isObject(value)) return value
  throw new KubeconfigError(`${file}: ${pathTo(at, name)} must be a map, not ${describe(value)}`)
}

function pathTo(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}

/** Only the type: a value may be a secret. */
function describe(value: Json): string {
  return Array.isArray(value)
    ? 'a list'
    : value === null
      ? 'null'
      : typeof value === 'object'
        ? 'a map'
        : `a ${typeof value}`
}
