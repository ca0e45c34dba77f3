// Loader hooks for one mutant: its file is changed while it is loaded, and `coxswain` is the source of this repository,
// so that neither a copy nor a build is needed.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { withoutTypes } from '../../../scripts/ts-hooks.mjs'

const root = new URL('../../../', import.meta.url)
let changed

export function initialize(mutant) {
  changed = { ...mutant, url: new URL(mutant.file, root).href }
}

export function resolve(specifier, context, next) {
  if (specifier === 'coxswain') return next(new URL('src/index.ts', root).href, context)
  if (specifier.startsWith('coxswain/'))
    return next(new URL(`src/${specifier.slice('coxswain/'.length)}/index.ts`, root).href, context)
  return next(specifier, context)
}

export async function load(url, context, next) {
  if (url !== changed.url) return next(url, context)
  const path = fileURLToPath(url)
  const parts = (await readFile(path, 'utf8')).split(changed.find)
  if (parts.length !== 2) throw new Error(`the text of the mutant occurs ${parts.length - 1} times in ${changed.file}`)
  return withoutTypes(path, parts.join(changed.replace))
}
