/**
 * Bundles the command line, so that it starts fast: a few files instead of hundreds of modules, with code caches beside
 * them (docs/internals/adr/0006-bundled-command-line.md). Writes `bundle/`, and `coxswain.cjs`, which launches it.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { rolldown } from 'rolldown'
import { fillCaches } from './code-caches.mjs'
import { tables } from './tables.mjs'

/**
 * The parts of the bundle, by the folders of `src/` in them. All other files are in `core`, which every start needs.
 * The other parts are loaded on the first use of one of their exports, so `core` must not use them while it is being
 * loaded. `main` is the entry.
 */
const folders = {
  // oxfmt-ignore
  runtime: [
    'client', 'cache', 'queue', 'flow', 'controller', 'controllers', 'manager', 'manifests', 'operator', 'cluster',
    'webhooks', 'telemetry', 'kubelet', 'scheduler', 'schema',
  ],
  cel: ['cel', 'controlplane/admission/expressions'],
  custom: ['structural', 'controlplane/extensions'],
  documents: ['controlplane/discovery/openapi'],
  kinds: ['controlplane/resources'],
  objects: ['codec', 'controlplane/fields', 'controlplane/patch'],
}

/** The files of the built-in kinds that a start needs: versions and scales. The build fails if a start needs more. */
const atStart = /^controlplane\/resources\/(.+\/)?(views?|scale)\.ts$/

const parts = ['main', 'core', ...Object.keys(folders)]

/** @param {string} path below `src/` */
function partOf(path) {
  if (path === 'cli/main.ts') return 'main'
  if (atStart.test(path)) return 'core'
  return Object.keys(folders).find((name) => folders[name].some((folder) => path.startsWith(`${folder}/`))) ?? 'core'
}

/** Removes white space only: names stay, for stack traces. */
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } }

export async function bundleCommandLine(root, dist) {
  const build = await rolldown({
    // Paths in the output are relative to it, wherever the build was started.
    cwd: root,
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
    if (!parts.includes(fileName)) throw new Error(`unexpected part in the bundle: ${fileName}`)
    writeFileSync(`${dist}/bundle/${fileName}.cjs`, asFunction(linked(code, exported)))
  }
  copyFileSync(new URL('./launcher.cjs', import.meta.url), `${dist}/coxswain.cjs`)
  await fillCaches(dist)
}

/**
 * Replaces `require` calls between parts by the functions of the launcher. A part that is loaded later finds `core`
 * complete and binds its exports to local constants, which are as fast to access as within one file.
 */
function linked(code, exported) {
  return code
    .replaceAll(/const (require_\w+)=require\("\.\/(\w+)"\);/g, (_, variable, name) => {
      if (name === 'core') return ''
      return `let ${variable}=__lazy("${name}",${JSON.stringify(exported.get(name))},loaded=>{${variable}=loaded});`
      // Imports for side effects only are dropped: the imported part runs on the first use of one of its exports.
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
 * Turns a file into the form that the launcher needs: a function expression, in ASCII only, which V8 reads without
 * decoding and keeps in half the memory.
 */
function asFunction(code) {
  // All other characters are in strings, templates or regular expressions, where an escape means the same.
  const escape = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  const ascii = code.replaceAll(/[^\0-\x7f]/g, escape).replaceAll(/\bawait import\(/g, 'await __import(')
  return `(function (require, exports, __load, __lazy, __import, __filename, __dirname) {${ascii}\n})`
}
