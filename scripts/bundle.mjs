/**
 * Makes the command line quick to start: a few files instead of hundreds of modules, with code caches beside them
 * (docs/adr/0006-bundled-command-line.md). Writes `bundle/`, and `coxswain.cjs`, which runs what is in it.
 */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { rolldown } from 'rolldown'
import { fillCaches } from './bundle-caches.mjs'

/**
 * The parts of the bundle. `core` is what every start needs; the others are loaded when first used, so nothing in
 * `core` may use them while it is being loaded itself. `main` is the entry.
 */
const verbs =
  'bind-pod|body|create|delete|evict-pod|get|list|metadata-checks|order-body|other-versions|patch|scale|' +
  'tracking|update|watch'
const runtime =
  'client|cache|queue|flow|controller|controllers|manager|manifests|operator|cluster|webhooks|telemetry|kubelet|' +
  'scheduler|schema'
const groups = [
  {
    name: 'runtime',
    test: new RegExp(`/dist/(index\\.js|(${runtime})/|cli/(demo-show|demo-objects|screen|kind-table)\\.)`),
  },
  { name: 'cel', test: /\/dist\/cel\// },
  { name: 'custom', test: /\/(structural|controlplane\/extensions)\// },
  { name: 'documents', test: /\/controlplane\/discovery\/(openapi\/|aggregated|legacy|root-paths)/ },
  { name: 'kinds', test: /\/controlplane\/resources\/(?!views|scale|[^/]+\/view\.|shared\/(amounts|values)\.)/ },
  {
    name: 'objects',
    test: new RegExp(`/dist/(codec|shape/(?!canonical)|controlplane/(fields|patch|registry/(${verbs})\\.))`),
  },
  { name: 'core', test: /^(?!.*\/cli\/main\.js$)/ },
]

const parts = ['main', ...groups.map(({ name }) => name)]

/** The operators that come along, by name: a file each, which imports the package. */
const operators = ['webapp', 'myresource']

/** What is made here, by name; the rest of `dist/` comes from sources one by one. */
export const bundled = [
  'coxswain.cjs',
  ...operators.map((name) => `operators/${name}.js`),
  ...parts.flatMap((name) => [`bundle/${name}.cjs`, `bundle/${name}.cache`]),
]

/** The tables stay where they are; the code that reads them has moved. */
const tables = {
  name: 'tables',
  transform(code, id) {
    if (!id.endsWith('/facts/facts.js')) return null
    return code.replace('new URL(file, import.meta.url)', '`${__dirname}/facts/${file}`')
  },
}

/** White space only: names stay, for the sake of stack traces. */
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } }

export async function bundle(dist) {
  const build = await rolldown({
    input: { main: `${dist}/cli/main.js` },
    platform: 'node',
    external: [/^node:/, 'yaml', 're2js'],
    preserveEntrySignatures: false,
    plugins: [tables],
  })
  const { output } = await build.generate({
    format: 'cjs',
    entryFileNames: '[name]',
    chunkFileNames: '[name]',
    minifyInternalExports: false,
    codeSplitting: { includeDependenciesRecursively: false, groups },
    minify,
  })
  await build.close()
  rmSync(`${dist}/bundle`, { recursive: true, force: true })
  mkdirSync(`${dist}/bundle`)
  const exported = new Map(output.map(({ fileName, exports }) => [fileName, exports]))
  for (const { fileName, code } of output) {
    if (!parts.includes(fileName)) throw new Error(`the bundle has a part that nobody asked for: ${fileName}`)
    writeFileSync(`${dist}/bundle/${fileName}.cjs`, asFunction(linked(code, exported)))
  }
  copyFileSync(new URL('./launcher.cjs', import.meta.url), `${dist}/coxswain.cjs`)
  await fillCaches(dist)
}

export async function bundleOperators(root, dist) {
  const build = await rolldown({
    input: Object.fromEntries(operators.map((name) => [name, `${root}/operators/${name}/demo.ts`])),
    platform: 'node',
    external: [/^node:/, /^coxswain/],
    tsconfig: false,
  })
  await build.write({
    dir: `${dist}/operators`,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify,
  })
  await build.close()
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
  const ascii = code
    .replaceAll(/[^\0-\x7f]/g, escape)
    .replaceAll(/\bimport\(__rewriteRelativeImportExtension\(/g, '__import((')
  return `(function (require, exports, __load, __lazy, __import, __filename, __dirname) {${ascii}\n})`
}
