/** Loads the module of an operator, which is its default export. The module brings its own copy of the runtime. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from './command.ts'
import type { Operator } from './operator.ts'

/** Throws a {@link UsageError} for a module that is not there, cannot be read by this Node, or holds no operator. */
export async function loadOperator(path: string): Promise<Operator> {
  return (await loadModule(path)).default
}

/** The same, with whatever else the module exports. */
export async function loadModule(path: string): Promise<{ readonly default: Operator }> {
  const url = pathToFileURL(resolve(path)).href
  const module = await imported(path, url)
  if (isOperator(module.default)) return module as { readonly default: Operator }
  const names = Object.keys(module).sort()
  throw new UsageError(
    `${path} has no operator as its default export (it has ${names.length === 0 ? 'no exports' : names.join(', ')}): write export default operator({ … })`,
  )
}

async function imported(path: string, url: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(url) as { readonly default?: unknown }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[mc]?ts$/.test(path)) {
      throw new UsageError(`Node ${process.versions.node} does not run TypeScript: use Node 22.18 or newer, or give the compiled ${path.replace(/ts$/, 'js')}`)
    }
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(resolve(path))) throw new UsageError(`there is no module ${path}`)
    throw error
  }
}

/** By its shape: the module may have another copy of the runtime than this program. */
function isOperator(value: unknown): value is Operator {
  const { name, controllers, run, manifests } = (value ?? {}) as Partial<Record<keyof Operator, unknown>>
  return typeof name === 'string' && Array.isArray(controllers) && typeof run === 'function' && typeof manifests === 'function'
}
