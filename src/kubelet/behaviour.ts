/**
 * The behaviour of a simulated container as data: what happens, and how long after the previous event. Users set it in
 * their tests, or with annotations of a pod.
 */
import type { Live, Pod } from '../index.ts'

export interface Behaviour {
  /** Milliseconds from being scheduled until the containers run. Default 1 s. */
  readonly startAfterMs?: number | undefined
  /** The image cannot be pulled: the containers never start. */
  readonly failPull?: boolean | undefined
  /** Milliseconds that each init container takes. Default 500. */
  readonly initTakesMs?: number | undefined
  /**
   * Milliseconds from the start until ready, in addition to the delay of the readiness probe. Default 0; null: never.
   */
  readonly readyAfterMs?: number | null | undefined
  /** Milliseconds from the start until the containers exit. Default null: never. */
  readonly exitAfterMs?: number | null | undefined
  /** The exit code. Default 0. */
  readonly exitCode?: number | undefined
  /** The reason in the container status, such as `OOMKilled`. Default: Completed or Error, by the code. */
  readonly exitReason?: string | undefined
  /** Milliseconds that a container takes to terminate. Default 500; at most the grace period. */
  readonly stopTakesMs?: number | undefined
  /** Log lines of a container besides those for start, readiness and exit. Default: none. */
  readonly log?: readonly LogEntry[] | undefined
}

export interface LogEntry {
  /** One line or several. */
  readonly text: string
  /** Milliseconds from the start of the container until it is printed. Default 0. */
  readonly afterMs?: number | undefined
  /** Milliseconds until it is printed again, repeatedly; at least 1. Default: printed once. */
  readonly everyMs?: number | undefined
}

/** The first rule that matches a pod applies. Fields that it leaves out have their defaults. */
export interface BehaviourRule {
  /** Labels that a pod must have. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Matches if an image of the pod matches. */
  readonly image?: RegExp | string | undefined
  readonly behaviour: Behaviour
}

export type FullBehaviour = { readonly [Name in keyof Behaviour]-?: Exclude<Behaviour[Name], undefined> }

const defaultBehaviour: FullBehaviour = {
  startAfterMs: 1000,
  failPull: false,
  initTakesMs: 500,
  readyAfterMs: 0,
  exitAfterMs: null,
  exitCode: 0,
  exitReason: '',
  stopTakesMs: 500,
  log: [],
}

/** Behaviours by name, for the annotation `coxswain.dev/fault`. */
const faults: Readonly<Record<string, Behaviour>> = {
  'image-pull': { failPull: true },
  'crash-loop': { exitAfterMs: 1000, exitCode: 1 },
  oom: { exitAfterMs: 1000, exitCode: 137, exitReason: 'OOMKilled' },
  'never-ready': { readyAfterMs: null },
}

export const podFaultNames: readonly string[] = Object.keys(faults)

const prefix = 'coxswain.dev/'

/** Annotations take precedence over rules, these over the defaults. An invalid annotation is reported. */
export function behaviourOf(
  pod: Live<Pod>,
  rules: readonly BehaviourRule[],
  problem: (text: string) => void,
): FullBehaviour {
  const rule = rules.find((each) => matches(pod, each))?.behaviour ?? {}
  return { ...defaultBehaviour, ...annotationValue(rule), ...annotationValue(annotated(pod, problem)) } as FullBehaviour
}

function annotationValue(behaviour: Behaviour): Behaviour {
  return Object.fromEntries(Object.entries(behaviour).filter(([, value]) => value !== undefined))
}

function matches({ metadata, spec }: Live<Pod>, { labels = {}, image }: BehaviourRule): boolean {
  if (!Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value)) return false
  if (image === undefined) return true
  return (spec?.containers ?? []).some(({ image: used = '' }) =>
    typeof image === 'string' ? used === image : image.test(used),
  )
}

function annotated({ metadata }: Live<Pod>, problem: (text: string) => void): Behaviour {
  const annotation = (name: string): string | undefined => metadata.annotations?.[`${prefix}${name}`]
  const time = (name: string): number | undefined => {
    const text = annotation(name)
    if (text === undefined) return undefined
    const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text)
    if (match !== null)
      return Number(match[1]) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match[2] as 'ms' | 's' | 'm' | 'h']
    problem(`${prefix}${name} is "${text}": write a time as 500ms, 3s or 2m`)
    return undefined
  }
  const fault = annotation('fault')
  if (fault !== undefined && faults[fault] === undefined)
    problem(`${prefix}fault is "${fault}": use one of ${podFaultNames.join(', ')}`)
  const code = annotation('exit-code')
  const text = annotation('log')
  return {
    ...faults[fault ?? ''],
    ...annotationValue({
      startAfterMs: time('start-after'),
      readyAfterMs: time('ready-after'),
      exitAfterMs: time('exit-after'),
      stopTakesMs: time('stop-takes'),
      exitCode: code === undefined ? undefined : Number(code),
      log: text === undefined ? undefined : [{ text, everyMs: time('log-every') }],
    }),
  }
}
