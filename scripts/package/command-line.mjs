/**
 * Makes the command line quick to start: a few files instead of hundreds of modules, with code caches beside them
 * (docs/internals/adr/0006-bundled-command-line.md). Writes `bundle/`, and `coxswain.cjs`, which runs what is in it.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { rolldown } from 'rolldown'
import { fillCaches } from './code-caches.mjs'
import { tables } from './tables.mjs'

/**
 * The parts of the bundle, by the folders of `src/` in them. All other files are in `core`, which every start needs.
 * The other parts are loaded when something in them is first used, so nothing in `core` may use them while it is being
 * loaded itself. `main` is the entry.
 */
const folders = {
  // oxfmt-ignore
  runtime: [
    'client', 'cache', 'queue', 'flow', 'controller', 'controllers', 'manager', 'manifests', 'operator', 'cluster',
    'webhooks', 'telemetry', 'kubelet', 'scheduler', 'schema',
  ],
  cel: ['cel'],
  custom: ['structural', 'controlplane/extensions'],
  documents: ['controlplane/discovery/openapi'],
  kinds: ['controlplane/resources'],
  objects: ['codec', 'controlplane/fields', 'controlplane/patch'],
}

/** What a start needs of the built-in kinds: versions and scales. The build fails when a start needs more. */
const atStart = /^controlplane\/resources\/(.+\/)?(views?|scale)\.ts$/

const parts = ['main', 'core', ...Object.keys(folders)]

/** @param {string} path below `src/` */
function partOf(path) {
  if (path === 'cli/main.ts') return 'main'
  if (atStart.test(path)) return 'core'
  return Object.keys(folders).find((name) => folders[name].some((folder) => path.startsWith(`${folder}/`))) ?? 'core'
}

/** White space only: names stay, for the sake of stack traces. */
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } }

export async function bundleCommandLine(root, dist) {
  const build = await rolldown({
    input: { main: `${root}/src/cli/main.ts` },
    platform: 'node',
    external: [/^node:/, 'yaml', 're2js'],
    preserveEntrySignatures: false,
    tsconfig: false,
    transform: { target: 'node20.19' },
    plugins: [tables('`${__dirname}/facts/${file}`')],
  })
  const groups = parts
    .filter((name) => name !== 'main')
    .map((name) => ({ name, test: (id) => partOf(relative(`${root}/src`, id)) === name }))
  const { output } = await build.generate({
    format: 'cjs',
    entryFileNames: '[name]',
    chunkFileNames: '[name]',
    minifyInternalExports: false,
    codeSplitting: { includeDependenciesRecursively: false, groups },
    minify,
  })
  await build.close()
  mkdirSync(`${dist}/bundle`)
  const exported = new Map(output.map(({ fileName, exports }) => [fileName, exports]))
  for (const { fileName, code } of output) {
    if (!parts.includes(fileName)) throw new Error(`the bundle has a part that nobody asked for: ${fileName}`)
    writeFileSync(`${dist}/bundle/${fileName}.cjs`, asFunction(linked(code, exported)))
  }
  copyFileSync(new URL('./launcher.cjs', import.meta.url), `${dist}/coxswain.cjs`)
  await fillCaches(dist)
}

/**
 * Makes the ways between parts what the launcher offers. A part that is loaded later finds `core` complete, and takes
 * its names as its own: they are then as quick to use as within one file.
 */
function linked(code, exported) {
  return code
    .replaceAll(/const (require_\w+)=require\("\.\/(\w+)"\);/g, (_, variable, name) => {
      if (name === 'core') return ''
      return `let ${variable}=__lazy("${name}",${JSON.stringify(exported.get(name))},loaded=>{${variable}=loaded});`
      // What is only to be run before this part is run when something in it is used.
    })
    .replaceAll(/(?<=^|;)require\("\.\/\w+"\);/g, '')
    .replace(/^/, ownNames(code))
    .replaceAll(/\brequire_core\.([\w$]+)/g, 'core_$1')
}

function ownNames(code) {
  const names = new Set(Array.from(code.matchAll(/\brequire_core\.([\w$]+)/g), ([, name]) => name))
  if (names.size === 0) return ''
  return `const {${Array.from(names, (name) => `${name}:core_${name}`).join()}}=__load("core");`
}

/**
 * Makes a file what the launcher needs: an expression for a function, all in ASCII, which is read without decoding and
 * takes half the memory.
 */
function asFunction(code) {
  // Whatever is not ASCII stands in a string, a template or a regular expression, where an escape means the same.
  const escape = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  const ascii = code.replaceAll(/[^\0-\x7f]/g, escape).replaceAll(/\bawait import\(/g, 'await __import(')
  return `(function (require, exports, __load, __lazy, __import, __filename, __dirname) {${ascii}\n})`
}
