/**
 * The log of a simulated container, computed on request from its pod, one of its starts and the time, so that nothing
 * is stored. If a container prints a lot, only the newest lines are available.
 */
import type { DeepReadonly } from '../api/index.ts'
import type { Live, Pod, coreV1 } from '../index.ts'
import { behaviourOf, type BehaviourRule, type FullBehaviour, type LogEntry } from './behaviour.ts'
import { probeDelay, readyTime } from './containers.ts'

export interface ContainerLog {
  readonly lines: readonly LogLine[]
  /** The number of lines before those. */
  readonly dropped: number
  /** When the next line is printed. */
  readonly nextAt?: number | undefined
}

interface LogLine {
  readonly time: number
  readonly text: string
}

/** Times are milliseconds since the epoch. */
export interface LogQuery {
  readonly pod: Live<Pod>
  readonly container: string
  readonly instance: {
    readonly id: string
    readonly startedAt: number
    readonly finishedAt?: number | undefined
    readonly exitCode?: number | undefined
    readonly reason?: string | undefined
  }
  readonly now: number
}

/** Undefined for a container that is not on a simulated node. */
export type ContainerLogs = (query: LogQuery) => ContainerLog | undefined

/** The maximum of lines and characters of a log. */
const maxLines = 10_000
const maxChars = 1024 * 1024

export function containerLogs({
  behaviours = [],
}: { readonly behaviours?: readonly BehaviourRule[] | undefined } = {}): ContainerLogs {
  return (query) => {
    if (!query.instance.id.startsWith('simulated://')) return undefined
    const { pod, container: name } = query
    const init = pod.spec?.initContainers?.find((each) => each.name === name)
    const role = init === undefined ? 'main' : init.restartPolicy === 'Always' ? 'sidecar' : 'init'
    return logOf(
      query,
      behaviourOf(pod, { name, role }, behaviours, () => undefined),
    )
  }
}

/** A log entry that is printed once or periodically. */
interface Source {
  readonly time: number
  readonly everyMs?: number | undefined
  readonly texts: readonly string[]
}

function logOf(query: LogQuery, behaviour: FullBehaviour): ContainerLog {
  const {
    now,
    instance: { finishedAt },
  } = query
  // Times in the status are truncated to seconds; lines from the rest of that second stay.
  const until = finishedAt === undefined ? now : finishedAt + 999
  const sources = [
    ...spoken(query, behaviour),
    ...behaviour.log.map((entry) => asSource(entry, query.instance.startedAt)),
  ]
  const times = sources.map((source) => timesOf(source, until))
  const total = times.reduce((sum, { count }, index) => sum + count * (sources[index] as Source).texts.length, 0)
  const lines = [
    ...times
      .flatMap(({ newest }, index) =>
        newest.flatMap((time) => (sources[index] as Source).texts.map((text) => ({ time, text }))),
      )
      .sort((a, b) => a.time - b.time),
    ...exitLines(query),
  ]
  const kept = newestOf(lines)
  const nextAt = finishedAt === undefined ? Math.min(...times.map(({ next }) => next)) : Infinity
  return {
    lines: kept,
    dropped: total + exitLines(query).length - kept.length,
    ...(nextAt === Infinity ? {} : { nextAt }),
  }
}

/** The lines that every container prints. */
function spoken(
  { pod, container: name, instance: { startedAt, finishedAt } }: LogQuery,
  behaviour: FullBehaviour,
): Source[] {
  const named = ({ name: other }: { readonly name: string }): boolean => other === name
  const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec ?? {}
  const server: DeepReadonly<coreV1.Container> | undefined =
    containers.find(named) ?? initContainers.find((each) => named(each) && each.restartPolicy === 'Always')
  const { image = name } = server ?? initContainers.find(named) ?? ephemeralContainers.find(named) ?? {}
  // Only the containers that keep running become ready.
  const readyAt = server === undefined ? Infinity : readyTime(behaviour, probeDelay(server), startedAt)
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata
  const reportedAt =
    deletionTimestamp === undefined ? Infinity : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  return [
    { time: startedAt, texts: [`starting ${image}`] },
    ...(readyAt === Infinity ? [] : [{ time: readyAt, texts: ['ready'] }]),
    ...(reportedAt === Infinity || reportedAt > (finishedAt ?? Infinity)
      ? []
      : [{ time: Math.max(reportedAt, startedAt), texts: ['received SIGTERM, stopping'] }]),
  ]
}

/** A container that is killed prints nothing. */
function exitLines({ instance: { finishedAt, exitCode = 0, reason } }: LogQuery): LogLine[] {
  if (finishedAt === undefined || reason === 'OOMKilled') return []
  return [{ time: finishedAt + 999, text: exitCode === 0 ? 'done' : `failed, exit code ${exitCode}` }]
}

function asSource({ text, afterMs = 0, everyMs }: LogEntry, startedAt: number): Source {
  return {
    time: startedAt + afterMs,
    everyMs: everyMs === undefined ? undefined : Math.max(1, everyMs),
    texts: text.replace(/\n$/, '').split('\n'),
  }
}

/** How often it was printed, the last times, and the next time. */
function timesOf(
  { time, everyMs }: Source,
  until: number,
): { readonly count: number; readonly newest: readonly number[]; readonly next: number } {
  if (time > until) return { count: 0, newest: [], next: time }
  if (everyMs === undefined) return { count: 1, newest: [time], next: Infinity }
  const count = Math.floor((until - time) / everyMs) + 1
  const first = Math.max(0, count - maxLines)
  return {
    count,
    newest: Array.from({ length: count - first }, (_, i) => time + (first + i) * everyMs),
    next: time + count * everyMs,
  }
}

function newestOf(lines: readonly LogLine[]): readonly LogLine[] {
  let text = 0
  let from = lines.length
  while (
    from > 0 &&
    lines.length - from < maxLines &&
    (text += (lines[from - 1] as LogLine).text.length + 1) <= maxChars
  )
    from--
  return from === 0 ? lines : lines.slice(from)
}
