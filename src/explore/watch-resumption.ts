/**
 * Whether watches go on where they ended: one that resumes at an older version than it has received would show its
 * client old states again. A watch is known by its path and selectors; several programs may have the same.
 */
import type { TransportRequest, WireEvent } from '../client/transport.ts'

/** The newest version that a watch has received. */
export interface ReceivedVersion {
  version: number
}

export class WatchResumption {
  readonly #received = new Map<string, ReceivedVersion[]>()

  /** A watch begins. `problem`: what is wrong with its version. */
  begin(request: TransportRequest): { readonly received: ReceivedVersion; readonly problem?: string } {
    const { searchParams, pathname } = new URL(request.path, 'http://local')
    const [label, field] = ['labelSelector', 'fieldSelector'].map((name) => searchParams.get(name) ?? '')
    const key = [pathname, label, field].join(' ')
    const version = Number(searchParams.get('resourceVersion') ?? 0)
    const all = this.#received.get(key) ?? []
    this.#received.set(key, all)
    const isNew = version === 0 || searchParams.get('sendInitialEvents') === 'true'
    const before = isNew ? undefined : all.find((each) => each.version <= version)
    const received = before ?? { version }
    received.version = version
    if (before === undefined) all.push(received)
    if (isNew || before !== undefined || all.length === 1) return { received }
    const newest = Math.min(...all.slice(0, -1).map((each) => each.version))
    return { received, problem: `the watch of ${pathname} resumes at ${version}, and it has received ${newest}` }
  }
}

export function noteReceived(received: ReceivedVersion, { object }: WireEvent): void {
  const { metadata } = object as { readonly metadata?: { readonly resourceVersion?: string } }
  received.version = Math.max(received.version, Number(metadata?.resourceVersion ?? 0))
}
