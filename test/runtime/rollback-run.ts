/**
 * One run of an operator whose server is rolled back, with real processes over HTTPS: the server is killed, and another
 * one listens at its port with an older state. The operator must recover, and create nothing for missing owners.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RestClient } from '../../src/client/rest-client.ts'
import { ConfigMap, Secret } from '../../src/index.ts'
import { Child } from './child.ts'
import { DirectedServer, writeAccess } from './directed-server.ts'
import type { Programs } from './programs.ts'
import { copiedType } from './testdata/copies.ts'

/** What listens after the rollback. */
export const rolledBackStates = [
  'a backup, overtaken',
  'a backup, behind',
  'empty, overtaken',
  'empty, behind',
  'empty, revisions by the time',
] as const

export interface RollbackRun {
  readonly hasLease: boolean
  readonly collects: boolean
  readonly state: (typeof rolledBackStates)[number]
}

export interface RollbackResult {
  /** From the moment when the second server listens, in milliseconds. */
  readonly recoveredMs: number
  /** What went wrong, besides the time. */
  readonly problems: readonly string[]
}

/** The programs of `testdata` that a run needs. */
export const rollbackPrograms = ['directed-server', 'copier', 'collector'] as const

export const maxRecoveryMs = 35_000
const maxWaitMs = 120_000
const namespace = 'default'
const token = 'a-token-of-a-test'
const initialRevision = 1000

export async function rollBack(programs: Programs, run: RollbackRun): Promise<RollbackResult> {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-rollback-'))
  const open: { destroy(): Promise<void> }[] = []
  try {
    return await play(programs, run, folder, open)
  } catch (error) {
    return { recoveredMs: Infinity, problems: [String(error)] }
  } finally {
    for (const each of open.reverse()) await each.destroy()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function play(
  programs: Programs,
  { hasLease, collects, state }: RollbackRun,
  folder: string,
  open: { destroy(): Promise<void> }[],
): Promise<RollbackResult> {
  const problems: string[] = []
  const start = async (settings: Partial<Parameters<typeof DirectedServer.start>[1]>): Promise<DirectedServer> => {
    const server = await DirectedServer.start(programs.file('directed-server'), { port: 0, token, ...settings })
    open.push({ destroy: () => server.kill() })
    return server
  }
  const first = await start({ initialRevision })
  const kubeconfig = join(folder, 'kubeconfig')
  writeAccess(kubeconfig, first.port, token)
  const child = (program: string, args: readonly string[]): Child => {
    const made = new Child({
      program: programs.file(program),
      args: [...args, '--log-level', 'debug'],
      variables: { KUBECONFIG: kubeconfig },
    })
    open.push(made)
    return made
  }
  const operator = child('copier', ['--namespaces', namespace, ...(hasLease ? ['--leader-elect'] : [])])
  if (collects) await child('collector', []).line('listening')

  for (const name of ['kept0', 'kept1']) await create(first.client, name)
  await copied(first.client)
  const backup = join(folder, 'backup')
  await first.ask({ name: 'backup', file: backup })
  for (const name of ['lost0', 'lost1', 'lost2', 'lost3']) await create(first.client, name)
  await copied(first.client)
  for (const kind of ['secrets', 'configmaps'])
    await operator.line('watch ended', (line) => line['kind'] === kind && line['error'] === undefined)
  if (relists(operator) > 0) problems.push('an ordinary end of a watch caused a relist')

  const { revision } = await first.ask({ name: 'report' })
  await first.kill()
  const isOvertaken = state.endsWith('overtaken')
  const second = await start({
    port: first.port,
    backup: state.startsWith('a backup') ? backup : undefined,
    initialRevision: state === 'empty, revisions by the time' ? undefined : 1,
    secrets: ['new', 'lost0'],
    overtake: isOvertaken ? revision : 0,
  })
  const listensAt = performance.now()
  await copied(second.client)
  const recoveredMs = performance.now() - listensAt

  // Its revisions pass those of the first one, and it is followed on.
  await second.ask({ name: 'overtake', revision })
  for (const name of ['newer', 'newest']) {
    await create(second.client, name)
    await copied(second.client)
  }
  const { orphans } = await second.ask({ name: 'report' })
  for (const orphan of orphans) problems.push(`created for a missing owner: ${orphan}`)
  // ConfigMaps need none if no other one exists: those that are gone are removed.
  if (relists(operator) < 1 || relists(operator) > 2) problems.push(`${relists(operator)} relists of 2 kinds`)
  operator.kill('SIGTERM')
  if ((await operator.end()) !== 0) problems.push(`the operator failed:\n${operator.story()}`)
  return { recoveredMs, problems }
}

const relists = ({ lines }: Child): number => lines.filter(({ msg }) => msg === 'listed again').length

export async function create(client: RestClient, name: string): Promise<void> {
  await client.create(Secret, { metadata: { namespace, name }, type: copiedType })
}

/** Waits until each Secret has its copy, and nothing else does. */
export async function copied(client: RestClient): Promise<void> {
  const end = performance.now() + maxWaitMs
  for (;;) {
    const [secrets, maps] = await Promise.all([
      client.list(Secret, { namespace }),
      client.list(ConfigMap, { namespace }),
    ])
    const expected = secrets.items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).sort()
    const found = maps.items.map(({ metadata, data }) => `${metadata.name} ${data?.['owner']}`).sort()
    if (found.join() === expected.join()) return
    if (performance.now() > end) throw new Error(`Secrets: ${expected.join()}; copies: ${found.join()}`)
    await sleep(50)
  }
}
