/**
 * Bundles the declarations of the package: one `.d.ts` for each entry point, and chunks for what several of them share,
 * so that a class with private members is one type in every entry point (docs/internals/adr/0020-bundled-library.md).
 * The input is the compiler's output; doc comments stay.
 */
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { entryPoints } from './entry-points.mjs'

/** @param {string} emitted the folder of the compiler's output for `src/` */
export async function bundleDeclarations(root, emitted, dist) {
  const declaration = (source) => source.replace(/^src/, emitted).replace(/\.ts$/, '.d.ts')
  const build = await rollup({
    input: Object.fromEntries(entryPoints(root).map(({ name, source }) => [name, declaration(source)])),
    external: [/^node:/, 'yaml', 're2js'],
    plugins: [dts()],
    onwarn: (warning) => {
      // The API report names the types that an entry point refers to and no entry point exports.
      if (!/still references private shared type exports/.test(warning.message)) throw new Error(warning.message)
    },
  })
  await build.write({
    dir: dist,
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `shared/${name.replace(/\.d$/, '')}.d.ts`,
    // API groups have types of the same name. In one chunk the bundler would rename them, and editors would show the
    // changed names.
    manualChunks: (id) => /\/schema\/builtin\/([^/]+)\.d\.ts$/.exec(id)?.[1],
    onlyExplicitManualChunks: true,
  })
  await build.close()
}
