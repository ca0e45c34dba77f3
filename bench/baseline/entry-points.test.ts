import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { entryPoints, importNames, locateNames } from './entry-points.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coxswain-entry-points-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** A package with a file for each entry point. */
function write(exports: Readonly<Record<string, unknown>>, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(root, 'dist'))
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', exports }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, 'dist', name), text)
}

describe('names of a package', () => {
  it('are found in one entry point', async () => {
    write({ '.': { default: './dist/index.js' } }, { 'index.js': 'export const t = 1, resource = 2' })
    expect(await importNames(root, ['t', 'resource'])).toMatchObject({ t: 1, resource: 2 })
  })

  it('are found in several, and entry points that are not needed are not loaded', async () => {
    write(
      {
        './package.json': './package.json',
        './controlplane': { default: './dist/controlplane.js' },
        '.': { default: './dist/index.js' },
        './env': { default: './dist/env.js' },
        './queue': './dist/queue.js',
      },
      {
        'controlplane.js': 'throw new Error("loaded")',
        'index.js': 'export const t = 1',
        'env.js': 'export const pause = 1',
        'queue.js': 'export const fifoQueue = 3',
      },
    )
    expect([...entryPoints(root).keys()]).toEqual(['.', './env', './queue', './controlplane'])
    expect(await importNames(root, ['t', 'fifoQueue'])).toMatchObject({ t: 1, fifoQueue: 3 })
    expect(await locateNames(root, ['t', 'fifoQueue'])).toEqual([
      join(root, 'dist/index.js'),
      join(root, 'dist/queue.js'),
    ])
  })

  it('that are nowhere are an error', async () => {
    write({ '.': { default: './dist/index.js' } }, { 'index.js': 'export const t = 1' })
    await expect(importNames(root, ['t', 'Manager'])).rejects.toThrow('does not export Manager')
  })
})
