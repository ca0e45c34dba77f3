/**
 * The two trees of a comparison: this one, and the tree of another commit. The other one is in a cache folder,
 * `$COXSWAIN_CACHE/baseline` or `.cache/baseline` of the project, with its own dependencies and its own build. Later
 * runs reuse it.
 */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { path } from '../child.ts'

export type Side = 'baseline' | 'current'

export interface Tree {
  readonly side: Side
  /** The folder with package.json, dist and node_modules. */
  readonly root: string
}

export interface Trees {
  readonly baseline: Tree
  readonly current: Tree
}

const root = path('..')

export const currentTree: Tree = { side: 'current', root }

/** Checks out, installs and builds the commit, unless it is in the cache. */
export function baselineTree(commit: string, say: (text: string) => void): Tree {
  const resolved = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], { cwd: root })
  if (resolved.status !== 0) throw new Error(`--baseline: ${commit} is not a commit of this repository`)
  const id = String(resolved.stdout).trim().slice(0, 12)
  const { COXSWAIN_CACHE: cache } = process.env
  const folder = join(cache === undefined || cache === '' ? join(root, '.cache') : cache, 'baseline', id)
  const ready = join(folder, '.ready')
  if (!existsSync(ready)) {
    say(`baseline ${id}: checking out and building into ${folder}`)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const archive = spawnSync('git', ['archive', id], { cwd: root, maxBuffer: 2 ** 30 })
    mustSucceed('git archive', archive)
    mustSucceed('tar', spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout }))
    // The script of that commit installs its dependencies and builds it.
    mustSucceed('the build of the baseline', spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: folder }))
    writeFileSync(ready, `${id}\n`)
  }
  return { side: 'baseline', root: folder }
}

function mustSucceed(what: string, { status, error, stderr }: SpawnSyncReturns<Buffer>): void {
  if (status !== 0) throw new Error(`${what} failed: ${error?.message ?? String(stderr)}`)
}
