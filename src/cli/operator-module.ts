/** Loads modules of users: an operator is the default export of one. They import their own copy of the runtime. */
import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from './command.ts'
import type { Operator } from '../operator/operator.ts'

/** Throws a {@link UsageError} if the module does not exist, needs another Node, or exports no operator. */
export async function loadOperator(path: string): Promise<Operator> {
  return (await loadModule(path)).default
}

/** The whole module. */
export async function loadModule(given: string): Promise<{ readonly default: Operator }> {
  const { file, exports } = await importModule(given)
  if (isOperator(exports['default'])) return exports as { readonly default: Operator }
  const names = Object.keys(exports).sort()
  throw new UsageError(
    `${file} has no operator as its default export (it has ` +
      `${names.length === 0 ? 'no exports' : names.join(', ')}): write export default operator({ … })`,
  )
}

/** Imports a module of the user, whatever it exports. */
export async function importModule(
  path: string,
): Promise<{ readonly file: string; readonly exports: Readonly<Record<string, unknown>> }> {
  const file = moduleFile(path)
  // Errors then name the lines of the source, not those of what was compiled from it.
  process.setSourceMapsEnabled(true)
  return { file, exports: await imported(file, pathToFileURL(resolve(file)).href) }
}

/** Imports `name` as the module at `path` would: from its copy of the runtime, not from this program's. */
export async function importBeside<Module>(path: string, name: string): Promise<Module> {
  let file: string
  try {
    file = createRequire(resolve(moduleFile(path))).resolve(name)
  } catch {
    throw new UsageError(
      `${path} finds no ${name}: install the package coxswain beside it, in the version of this command`,
    )
  }
  return (await import(pathToFileURL(file).href)) as Module
}

const extensions = ['js', 'mjs', 'ts', 'mts']

/** A folder stands for the operator file in it. */
function moduleFile(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return path
  const names = ['operator', 'index'].flatMap((name) =>
    extensions.map((extension) => join(path, `${name}.${extension}`)),
  )
  const found = names.find((name) => existsSync(name))
  if (found === undefined)
    throw new UsageError(`the folder ${path} has no operator.js and no index.js: give the file of the operator`)
  return found
}

async function imported(path: string, url: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(url)) as Readonly<Record<string, unknown>>
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[mc]?ts$/.test(path)) {
      throw new UsageError(
        `Node ${process.versions.node} does not run TypeScript: use Node 22.18 or newer, or give the ` +
          `compiled ${path.replace(/ts$/, 'js')}`,
      )
    }
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(resolve(path)))
      throw new UsageError(`there is no module ${path}`)
    throw error
  }
}

/** Checks the shape, not the class: the module may have another copy of the runtime. */
function isOperator(value: unknown): value is Operator {
  const { name, controllers, run, manifests } = (value ?? {}) as Partial<Record<keyof Operator, unknown>>
  return (
    typeof name === 'string' &&
    Array.isArray(controllers) &&
    typeof run === 'function' &&
    typeof manifests === 'function'
  )
}
