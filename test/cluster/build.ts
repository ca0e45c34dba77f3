/** Builds the programs of a reference cluster from Go modules, once, into the user's cache. */
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { goFailure, needGo, runGo } from './go.ts'
import { withLock } from './lock.ts'
import { cacheFolder, program } from './programs.ts'
import type { Program, ProgramName } from './programs.ts'
import { duration, startProgress, toStderr } from './progress.ts'
import type { Log } from './progress.ts'

export interface BuildOptions {
  /** Gets each line of progress. Default: standard error. */
  readonly log?: Log
  /** Default: see `cacheFolder`. */
  readonly cache?: string
}

export type Programs = Readonly<Partial<Record<ProgramName, Program>>>

/**
 * The programs, built when they are not there yet. A program is in its place complete or not at all; of two processes
 * that build at the same moment one waits. Throws GoMissing, ModulesUnavailable or BuildFailed.
 */
export async function ensurePrograms(names: readonly ProgramName[], options: BuildOptions = {}): Promise<Programs> {
  const { log = toStderr, cache = cacheFolder() } = options
  const programs = [...new Set(names)].map((name) => program(name, cache))
  const absent = (): Program[] => programs.filter((each) => !isBuilt(each))
  if (absent().length > 0) {
    const waiting = (owner: number): void => log(`waiting for process ${owner}, which builds the reference cluster`)
    await withLock(join(cache, 'build.lock'), () => buildAll(absent(), log), waiting)
  }
  return Object.fromEntries(programs.map((each) => [each.name, each]))
}

/** True when all are built: `ensurePrograms` would have nothing to do. */
export function areBuilt(names: readonly ProgramName[], cache = cacheFolder()): boolean {
  return names.every((name) => isBuilt(program(name, cache)))
}

export function isBuilt({ path }: Program): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

async function buildAll(programs: readonly Program[], log: Log): Promise<void> {
  for (const [i, each] of programs.entries()) {
    await needGo(each.go, each.source)
    await build(each, `building ${each.name} ${each.version} (${i + 1} of ${programs.length})`, log)
  }
}

async function build(what: Program, title: string, log: Log): Promise<void> {
  log(title)
  const started = performance.now()
  const progress = startProgress(title, log)
  mkdirSync(what.home, { recursive: true })
  removeDrafts(what)
  const draft = `${what.path}.${process.pid}.tmp`
  try {
    const ldflags = ['-s', '-w', ...what.stamps.flatMap((stamp) => ['-X', stamp])].join(' ')
    const flags = ['-v', '-mod=readonly', '-trimpath', '-buildvcs=false', `-ldflags=${ldflags}`, '-o', draft]
    const seen = counter((text) => progress.update(text))
    const { code, stderr } = await runGo(['build', ...flags, what.package], { cwd: what.source, onLine: seen })
    if (code !== 0) throw goFailure(what.name, stderr)
    await copyFiles(what)
    renameSync(draft, what.path)
  } finally {
    progress.end()
    rmSync(draft, { force: true })
  }
  const megabytes = Math.round(statSync(what.path).size / 1e6)
  log(`built ${what.name} ${what.version} in ${duration(performance.now() - started)} (${megabytes} MB)`)
}

/** Takes the lines by which `go build -v` tells that it goes on, and counts them. */
function counter(show: (text: string) => void): (line: string) => boolean {
  let modules = 0
  let packages = 0
  return (line) => {
    if (line.startsWith('go: downloading ')) modules++
    else if (/^[\w.~/-]+$/.test(line)) packages++
    else return false
    show(`${modules > 0 ? `${modules} modules downloaded, ` : ''}${packages} packages compiled`)
    return true
  }
}

/** Files of the module that the program reads when it runs. The module is in Go's cache after the build. */
async function copyFiles(what: Program): Promise<void> {
  if (what.files.length === 0) return
  const args = ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', what.module]
  const { code, stdout, stderr } = await runGo(args, { cwd: what.source })
  if (code !== 0) throw goFailure(what.name, stderr)
  for (const file of what.files) {
    const target = join(what.home, basename(file))
    const draft = `${target}.${process.pid}.tmp`
    copyFileSync(join(stdout.trim(), file), draft)
    renameSync(draft, target)
  }
}

/** What builders left that were killed. We have the lock, so nobody writes them. */
function removeDrafts({ home, name }: Program): void {
  for (const file of readdirSync(home)) {
    if (file.startsWith(`${name}.`) && file.endsWith('.tmp')) rmSync(join(home, file), { force: true })
  }
}
