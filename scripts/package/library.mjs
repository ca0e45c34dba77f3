/**
 * Bundles the modules that users import: one ES module for each entry point, one for each included operator, and chunks
 * for what several entry points share, so that a class exists once (docs/internals/adr/0020-bundled-library.md). Names,
 * lines and indentation stay, for stack traces.
 */
import { rolldown } from 'rolldown'
import { entryPoints } from './entry-points.mjs'
import { tables } from './tables.mjs'

/** The included operators, by name: one file each, which imports the package as users do. */
const operators = ['webapp', 'myresource']

export async function bundleLibrary(root, dist) {
  const build = await rolldown({
    // Paths in the output are relative to it, wherever the build was started.
    cwd: root,
    input: Object.fromEntries(entryPoints(root).map(({ name, source }) => [name, `${root}/${source}`])),
    platform: 'node',
    external: [/^node:/, 'yaml', 're2js'],
    tsconfig: false,
    transform: { target: 'node20.19' },
    plugins: [tables("new URL('../facts/' + file, import.meta.url)")],
  })
  await build.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
    minifyInternalExports: false,
    comments: false,
  })
  await build.close()
}

export async function bundleOperators(root, dist) {
  const build = await rolldown({
    // Paths in the output are relative to it, wherever the build was started.
    cwd: root,
    input: Object.fromEntries(operators.map((name) => [name, `${root}/operators/${name}/demo.ts`])),
    platform: 'node',
    external: [/^node:/, /^coxswain/],
    tsconfig: false,
    transform: { target: 'node20.19' },
  })
  await build.write({
    dir: `${dist}/operators`,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    comments: false,
  })
  await build.close()
}
