/** Builds the programs of a reference cluster, and the official tests, from Go modules, once, into the user's cache. */
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { goFailure, needGo, runGo } from './go.ts'
import { withLock } from './lock.ts'
import { cacheFolder, program } from './programs.ts'
import type { Program, ProgramName } from './programs.ts'
import { duration, startProgress, toStderr } from './progress.ts'
import type { Log } from './progress.ts'

export interface BuildOptions {
  /** Called with each progress line. Default: standard error. */
  readonly log?: Log
  /** Default: see `cacheFolder`. */
  readonly cache?: string
}

export type Programs = Readonly<Partial<Record<ProgramName, Program>>>

/**
 * Builds missing programs. A program appears in its place only when it is complete; concurrent builds wait for each
 * other. Throws GoMissing, ModulesUnavailable or BuildFailed.
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

/** Whether all are built, so that `ensurePrograms` has nothing to do. */
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
    const command = what.isTest ? ['test', '-c', '-vet=off'] : ['build', '-v']
    const flags = ['-mod=readonly', '-trimpath', '-buildvcs=false', `-ldflags=${ldflags}`, '-o', draft]
    const seen = counter((text) => progress.update(text))
    const { code, stderr } = await runGo([...command, ...flags, what.package], { cwd: what.source, onLine: seen })
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

/** Consumes and counts the progress lines of `go build -v`. */
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

/** Copies files of the module that the program reads at run time. After the build the module is in Go's cache. */
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

/** Removes unfinished files of builds that were killed. We hold the lock, so no other process writes them. */
function removeDrafts({ home, name }: Program): void {
  for (const file of readdirSync(home)) {
    if (file.startsWith(`${name}.`) && file.endsWith('.tmp')) rmSync(join(home, file), { force: true })
  }
}
