/** Operators as processes: `npm run -s recovery`, with all its runs in a long run. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isLong } from './size.ts'

const root = join(import.meta.dirname, '../..')

async function recovery(only: 'rollback' | 'stop'): Promise<{ readonly code: number | null; readonly output: string }> {
  const args = ['scripts/typescript.mjs', 'test/runtime/recovery-main.ts', '--only', only]
  const child = spawn(process.execPath, isLong ? [...args, '--long'] : args, { cwd: root })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}

describe('with real processes', { timeout: 600_000 }, () => {
  it.each(['rollback', 'stop'] as const)('recovery: %s', async (only) => {
    const { code, output } = await recovery(only)
    expect(code, output).toBe(0)
    expect(output).toContain('recovery: ok')
  })
})
