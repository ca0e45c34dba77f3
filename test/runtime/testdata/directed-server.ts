/**
 * The embedded server as a process over HTTPS that its parent directs: it can start from a backup at a given port and
 * revision, and it records the order of writes. Settings are the first argument, as JSON; questions are messages.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { inProcessTransport } from '../../../src/client/in-process-transport.ts'
import { RestClient } from '../../../src/client/rest-client.ts'
import { createControlPlane, MemoryStore } from '../../../src/controlplane/index.ts'
import type { MemoryStoreOptions } from '../../../src/controlplane/storage/memory-store.ts'
import type { StoreEvent } from '../../../src/controlplane/storage/store.ts'
import type { Env } from '../../../src/env/env.ts'
import { realEnv } from '../../../src/env/real.ts'
import { ConfigMap, Secret } from '../../../src/index.ts'
import { copiedType } from './copies.ts'

export interface ServerSettings {
  /** 0: any. */
  readonly port: number
  readonly token: string
  /** The file of a backup; undefined: an empty server. */
  readonly backup?: string | undefined
  /** The revision of the first write of an empty server. Default: the time, as for `coxswain server`. */
  readonly initialRevision?: number | undefined
  /** Names of Secrets that are created before the server listens. */
  readonly secrets?: readonly string[] | undefined
  /** Writes until this revision is exceeded, before the server listens. */
  readonly overtake?: number | undefined
}

export type ServerQuestion =
  | { readonly name: 'backup'; readonly file: string }
  | { readonly name: 'overtake'; readonly revision: number }
  | { readonly name: 'report' }

export interface ServerReport {
  readonly port: number
  readonly revision: number
  /** ConfigMaps that were created for owners that did not exist at that time. */
  readonly orphans: readonly string[]
  /** Writes of leases and of the ConfigMaps of counters, in the order of revisions: `lease a`, `write a 17`. */
  readonly writes: readonly string[]
}

const settings = JSON.parse(process.argv[2] ?? '') as ServerSettings
const real = realEnv()
/** Watches of 5 to 10 minutes end after 3 to 6 seconds, so that ordinary ends are seen, too. */
const env: Env = { ...real, after: (ms, task) => real.after(ms >= 300_000 ? ms / 100 : ms, task) }

const from =
  settings.backup === undefined
    ? undefined
    : (JSON.parse(readFileSync(settings.backup, 'utf8')) as NonNullable<MemoryStoreOptions['from']>)
const store = new MemoryStore({
  env,
  from,
  initialRevision: settings.initialRevision ?? real.now(),
  compactAfterMs: 0,
})
const plane = createControlPlane({
  env,
  store,
  tokens: [{ token: settings.token, user: { name: 'admin', uid: 'admin', groups: ['system:masters'] } }],
})
const client = new RestClient({ env, transport: inProcessTransport(plane.transport()), fieldManager: 'user' })

const orphans: string[] = []
const writes: string[] = []

function hasOwner(uid: string): boolean {
  return store.list('/registry/secrets/default/').items.some(({ object }) => object.metadata?.uid === uid)
}

function record({ type, current, previous }: StoreEvent): void {
  if (type !== 'put') return
  const { metadata, spec, data } = current.object as {
    metadata: { name: string; ownerReferences?: readonly { uid: string }[] }
    spec?: { holderIdentity?: string }
    data?: Readonly<Record<string, string>>
  }
  if (current.key.startsWith('/registry/leases/')) {
    writes.push(`lease ${spec?.holderIdentity ?? ''}`)
  } else if (current.key.startsWith('/registry/configmaps/default/')) {
    if (data?.['by'] !== undefined) writes.push(`write ${data['by']} ${data['count']}`)
    for (const { uid } of previous === undefined ? (metadata.ownerReferences ?? []) : [])
      if (!hasOwner(uid)) orphans.push(`${metadata.name} of ${uid}`)
  }
}

async function overtake(revision: number): Promise<void> {
  for (let i = 0; store.revision <= revision; i++)
    await client.create(ConfigMap, { metadata: { namespace: 'kube-public', name: `other${store.revision}-${i}` } })
}

/** A client of another program may use the port of a killed server for a moment. */
async function listen(): Promise<{ readonly port: number }> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await plane.listen({ port: settings.port })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === 50) throw error
      await sleep(100)
    }
  }
}

/** What `from` of a store takes. */
function contents(): NonNullable<MemoryStoreOptions['from']> {
  const { items, revision } = store.list('/registry/')
  return {
    revision,
    items: items.map(({ key, object, revision: at, needsRewrite }) => ({ key, object, revision: at, needsRewrite })),
  }
}

async function answer(question: ServerQuestion): Promise<void> {
  if (question.name === 'backup') writeFileSync(question.file, JSON.stringify(contents()))
  else if (question.name === 'overtake') await overtake(question.revision)
  const report: ServerReport = { port, revision: store.revision, orphans, writes }
  process.send?.(report)
}

store.watch('/registry/', store.revision, record)
for (const name of settings.secrets ?? [])
  await client.create(Secret, { metadata: { namespace: 'default', name }, type: copiedType })
await overtake(settings.overtake ?? 0)
const { port } = await listen()
process.on('message', (question) => void answer(question as ServerQuestion))
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
await answer({ name: 'report' })
