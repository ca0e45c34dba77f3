/** Bundles a TypeScript program and runs it with options of Node, to its end. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** Inside of the project, so that dependencies are found. */
const cache = join(import.meta.dirname, '../../.cache')

export interface ProgramResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Program {
  /** The bundled file. */
  readonly file: string
  run(nodeOptions: readonly string[], args?: readonly string[]): Promise<ProgramResult>
  remove(): void
}

/** `name`: a file of this folder, without `.ts`. */
export async function bundleProgram(name: string): Promise<Program> {
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(join(cache, 'security-'))
  const build = await rolldown({
    input: { [name]: join(import.meta.dirname, `${name}.ts`) },
    platform: 'node',
    external: [/^node:/, 'yaml', 're2js', 'fast-check'],
    tsconfig: false,
  })
  await build.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  await build.close()
  // Read at run time, from beside the code.
  const facts = join(import.meta.dirname, '../../src/facts')
  cpSync(facts, dir, { recursive: true, filter: (path) => !path.endsWith('.ts') })
  const file = join(dir, `${name}.mjs`)
  return {
    file,
    run: (nodeOptions, args = []) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [...nodeOptions, file, ...args], {
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        let stdout = ''
        let stderr = ''
        child.stdout.on('data', (chunk) => (stdout += String(chunk)))
        child.stderr.on('data', (chunk) => (stderr += String(chunk)))
        child.on('error', reject)
        child.on('close', (code) => resolve({ code, stdout, stderr }))
      }),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}
