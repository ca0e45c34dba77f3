/** `npm run cluster`; see `options.ts`. */
import { join } from 'node:path'
import { ensurePrograms, isBuilt } from './build.ts'
import { partsOf, startCluster } from './cluster.ts'
import { ClusterError, isUnavailable } from './errors.ts'
import { withLock } from './lock.ts'
import { parseCommand, usage, UsageError } from './options.ts'
import type { Command } from './options.ts'
import { conditionOf, endCluster, endOrphans } from './orphans.ts'
import { isRunning } from './process-id.ts'
import { cacheFolder, program, programNames } from './programs.ts'
import { toStderr } from './progress.ts'
import type { ClusterState } from './state.ts'

const cache = cacheFolder()

async function main(command: Command): Promise<number> {
  switch (command.command) {
    case 'help':
      console.log(usage)
      return 0
    case 'build': {
      const programs = await ensurePrograms(command.programs)
      for (const each of Object.values(programs)) console.log(each.path)
      return 0
    }
    case 'status':
      return status()
    case 'up':
      return alone(() => up(command))
    case 'down':
      return alone(() => down(command))
  }
}

/** Runs one start or stop of clusters at a time. */
function alone(work: () => Promise<number>): Promise<number> {
  const waiting = (owner: number): void => toStderr(`waiting for process ${owner}, which starts or ends a cluster`)
  return withLock(join(cache, 'up.lock'), work, waiting)
}

/** The clusters that `up` started; those of tests are not included. */
async function detachedClusters(): Promise<ClusterState[]> {
  return (await endOrphans(cache)).filter((state) => state.detached)
}

async function up({ name, parts }: Extract<Command, { command: 'up' }>): Promise<number> {
  const running = (await detachedClusters()).find((state) => state.name === name)
  if (running !== undefined) {
    const [has, wanted] = [running.parts, partsOf(parts)].map((each) => each.join(',') || 'no parts')
    const ended = endedOf(running).join(', ')
    const first = "end it with 'down' first"
    if (has !== wanted) throw new ClusterError(`cluster '${name}' is up with ${has} instead of ${wanted}; ${first}`)
    if (ended !== '') throw new ClusterError(`cluster '${name}' is up, but some of it has ended: ${ended}; ${first}`)
    console.log(howToUse(running))
    return 0
  }
  const cluster = await startCluster({ ...parts, name })
  await cluster.detach()
  const state = (await detachedClusters()).find((each) => each.folder === cluster.folder)
  if (state === undefined) throw new ClusterError(`cluster '${name}' ended while it was started`)
  console.log(howToUse(state))
  if (cluster.kubectl !== undefined) console.log(`alias kubectl=${cluster.kubectl}`)
  return 0
}

/** Instructions for users, and for `eval "$(…)"`. */
function howToUse({ name = '', kubeconfig, url }: ClusterState): string {
  const version = program('kube-apiserver', cache).version
  const down = `npm run cluster -- down${name === 'default' ? '' : ` --name ${name}`}`
  return `export KUBECONFIG=${kubeconfig}  # kube-apiserver ${version} at ${url}; end it with: ${down}`
}

async function down({ name, all }: Extract<Command, { command: 'down' }>): Promise<number> {
  const chosen = (await detachedClusters()).filter((state) => all || state.name === name)
  for (const state of chosen) {
    await endCluster(cache, state)
    console.log(`ended cluster '${state.name ?? state.id}'`)
  }
  if (chosen.length === 0) console.log(all ? 'no cluster is up' : `no cluster '${name}' is up`)
  return 0
}

async function status(): Promise<number> {
  const states = await endOrphans(cache)
  if (states.length === 0) console.log('no cluster is up')
  for (const state of states) {
    const who = state.detached ? `cluster '${state.name ?? state.id}'` : `cluster of process ${state.owner.pid}`
    const processes = Object.entries(state.processes).map(([name, id]) => `${name} ${isRunning(id) ? id.pid : 'ended'}`)
    console.log(`${who}: ${conditionOf(state)}, ${state.url}, KUBECONFIG=${state.kubeconfig}`)
    console.log(`  ${processes.join(', ')}${state.parts.length > 0 ? `; with ${state.parts.join(',')}` : ''}`)
  }
  for (const each of programNames.map((name) => program(name, cache))) {
    console.log(`${each.name} ${each.version}: ${isBuilt(each) ? each.path : 'not built'}`)
  }
  return 0
}

function endedOf(state: ClusterState): string[] {
  return Object.entries(state.processes)
    .filter(([, id]) => !isRunning(id))
    .map(([name]) => name)
}

try {
  process.exitCode = await main(parseCommand(process.argv.slice(2)))
} catch (error) {
  if (error instanceof UsageError) toStderr(`${error.message}\n\n${usage}`)
  else toStderr(error instanceof ClusterError ? error.message : String((error as Error).stack))
  process.exitCode = error instanceof UsageError ? 2 : isUnavailable(error) ? 3 : 1
}
