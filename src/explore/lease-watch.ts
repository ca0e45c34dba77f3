/**
 * Whether the instances of an operator keep to leader election: nobody takes a lease before it has run out, and nobody
 * writes after another one has taken over. It looks at what arrives at the server.
 *
 * Caveats: requests of a process that died are excused, since no fencing can stop what was sent; so are those of a
 * leader whose lease somebody else gave away, until it must have noticed. Shards are not looked at.
 */
import type { Transport, TransportRequest } from '../client/transport.ts'
import type { ElectionOptions } from '../manager/lease-election.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import type { Task } from '../manager/manager-options.ts'
import { Lease } from '../schema/builtin/kinds.ts'
import { kindText, type ObservedChange, type Oracle } from './changes.ts'

export interface LeaseWatchOptions {
  readonly leaderElection: ElectionOptions
  readonly controllers: readonly ControllerDefinition[]
  readonly tasks: readonly Task[]
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

interface Program {
  identity: string | undefined
  /** When another one took over. Undefined: it holds the lease, or never did. */
  deposedAt: number | undefined
  excusedUntil: number
}

const defaultRenewDeadlineMs = 10_000

export class LeaseWatch {
  readonly oracle: Oracle = { name: 'leader election', change: (change) => this.#changed(change) }
  readonly #options: LeaseWatchOptions
  /** Field managers that write on every replica. */
  readonly #everywhere: ReadonlySet<string>
  readonly #path: string
  readonly #programs: Program[] = []
  /** Which program is writing the lease. */
  #writer: Program | undefined
  #changedAt = -Infinity
  readonly #problems = new Set<string>()

  constructor(options: LeaseWatchOptions) {
    const { leaderElection, controllers, tasks } = options
    this.#options = options
    this.#path = `/namespaces/${leaderElection.namespace}/leases`
    this.#everywhere = new Set([
      ...controllers
        .filter((each) => each.options.leaderOnly === false)
        .map(({ name, options: { fieldManager = name } }) => fieldManager),
      ...tasks.filter(({ when }) => when === 'always').map(({ name, fieldManager = name }) => fieldManager),
    ])
  }

  /** The requests of one instance, as they arrive at the server. */
  program(inner: Transport): Transport {
    const program: Program = { identity: undefined, deposedAt: undefined, excusedUntil: -Infinity }
    this.#programs.push(program)
    return {
      ...inner,
      request: (request) => {
        if (request.method === 'GET') return inner.request(request)
        if (!request.path.includes(this.#path)) {
          this.#check(program, request)
          return inner.request(request)
        }
        // Also before the recording begins; an empty one releases the lease.
        program.identity ??= holderOf(request.body) || undefined
        this.#writer = program
        try {
          return inner.request(request)
        } finally {
          this.#writer = undefined
        }
      },
      close: () => inner.close(),
    }
  }

  /** The server was restored: what was before counts no more. */
  restart(): void {
    this.#changedAt = -Infinity
    for (const program of this.#programs) program.deposedAt = undefined
  }

  takeProblems(): readonly string[] {
    const problems = [...this.#problems]
    this.#problems.clear()
    return problems
  }

  #check({ deposedAt, excusedUntil }: Program, { method, path, signal }: TransportRequest): void {
    const now = this.#options.now()
    // A request of a dead process that arrives late has no signal.
    if (deposedAt === undefined || now < excusedUntil || signal === undefined) return
    const manager = /[?&]fieldManager=([^&]*)/.exec(path)?.[1]
    const isAllowed =
      manager === undefined ? this.#everywhere.size > 0 : this.#everywhere.has(decodeURIComponent(manager))
    if (isAllowed) return
    this.#problems.add(
      `${method} ${path.replace(/\?.*/, '')} came from an instance that had lost the lease: ` +
        `another one had taken over ${seconds(now - deposedAt)} before`,
    )
  }

  #changed({ object, previous }: ObservedChange): string | undefined {
    const { namespace, name, leaseDurationMs = 15_000, renewDeadlineMs } = this.#options.leaderElection
    const isOurs = object.metadata.name === name && object.metadata.namespace === namespace
    if (!isOurs || kindText(object) !== kindText(Lease)) return undefined
    const now = this.#options.now()
    const leftMs = this.#changedAt + leaseDurationMs - now
    const [before, after] = [holderOf(previous), holderOf(object)]
    this.#changedAt = now
    const writer = this.#writer
    if (writer !== undefined && after !== '') writer.deposedAt = undefined
    if (before === '' || after === '' || before === after) return undefined
    for (const program of this.#programs) {
      if (program.identity !== before) continue
      program.deposedAt = now
      if (writer === undefined) program.excusedUntil = now + (renewDeadlineMs ?? defaultRenewDeadlineMs)
    }
    return writer === undefined || leftMs <= 0
      ? undefined
      : `an instance took the lease ${seconds(leftMs)} before that of another one had run out`
  }
}

function holderOf(lease: unknown): string {
  const { spec } = (lease ?? {}) as { readonly spec?: { readonly holderIdentity?: string } }
  return spec?.holderIdentity ?? ''
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}
