/**
 * The behaviour of a simulated container as data: what happens, and how long after the previous event. Users set it in
 * their tests, or with annotations of a pod.
 */
import { controllerOf, type Live, type Pod } from '../index.ts'

export interface Behaviour {
  /** Milliseconds from being scheduled until the containers run. Default 1 s. */
  readonly startAfterMs?: number | undefined
  /** The image cannot be pulled: the containers never start. */
  readonly failPull?: boolean | undefined
  /** Milliseconds that each init container takes, unless it has a time of its own. Default 500. */
  readonly initTakesMs?: number | undefined
  /**
   * Milliseconds from the start until ready, in addition to the delay of the readiness probe. Default 0; null: never.
   */
  readonly readyAfterMs?: number | null | undefined
  /**
   * Milliseconds from the start until the containers exit. Default 1 s for pods of Jobs, otherwise null: never. Init
   * containers and sidecars only exit by what is set for them alone.
   */
  readonly exitAfterMs?: number | null | undefined
  /** The exit code, or one for each start; the last one counts for all further starts. Default 0. */
  readonly exitCode?: number | readonly number[] | undefined
  /** The reason in the container status, such as `OOMKilled`. Default: Completed or Error, by the code. */
  readonly exitReason?: string | undefined
  /** The termination message, in the container status. Default: none. */
  readonly terminationMessage?: string | undefined
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

/** The first rule that matches a container applies. Fields that it leaves out have their defaults. */
export interface BehaviourRule {
  /** Only the container of this name. Default: all containers of the pod. */
  readonly container?: string | undefined
  /** Labels that a pod must have. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Matches if an image of the pod matches. */
  readonly image?: RegExp | string | undefined
  readonly behaviour: Behaviour
}

export type FullBehaviour = { readonly [Name in keyof Behaviour]-?: Exclude<Behaviour[Name], undefined> }

/** Which kind of container it is: containers of `ephemeralContainers` are not among them. */
export type ContainerRole = 'main' | 'init' | 'sidecar'

const defaults: FullBehaviour = {
  startAfterMs: 1000,
  failPull: false,
  initTakesMs: 500,
  readyAfterMs: 0,
  exitAfterMs: null,
  exitCode: 0,
  exitReason: '',
  terminationMessage: '',
  stopTakesMs: 500,
  log: [],
}
const ofJobs: FullBehaviour = { ...defaults, exitAfterMs: 1000 }
const ofInitContainers: FullBehaviour = { ...defaults, exitAfterMs: defaults.initTakesMs }

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
  { name, role }: { readonly name: string; readonly role: ContainerRole },
  rules: readonly BehaviourRule[],
  problem: (text: string) => void,
): FullBehaviour {
  const start = role === 'init' ? ofInitContainers : role === 'main' && isOfJob(pod) ? ofJobs : defaults
  const rule = rules.find((each) => matches(pod, name, each))
  const isAnnotated = Object.keys(pod.metadata.annotations ?? {}).some((each) => each.startsWith(prefix))
  if (rule === undefined && !isAnnotated) return start
  const ruled = rule?.behaviour ?? {}
  return {
    ...start,
    ...defined(role === 'main' || rule?.container !== undefined ? ruled : withoutExit(ruled, role)),
    ...defined(role === 'main' ? annotated(pod, '', problem) : withoutExit(annotated(pod, '', problem), role)),
    ...defined(annotated(pod, `.${name}`, problem)),
  } as FullBehaviour
}

/** The exit code of a start of the container. */
export function exitCodeOf({ exitCode }: Pick<FullBehaviour, 'exitCode'>, restartCount: number): number {
  return typeof exitCode === 'number' ? exitCode : (exitCode[Math.min(restartCount, exitCode.length - 1)] ?? 0)
}

function isOfJob(pod: Live<Pod>): boolean {
  return controllerOf(pod)?.kind === 'Job'
}

/** What is set for all containers of a pod does not end its init containers and sidecars. */
function withoutExit(behaviour: Behaviour, role: ContainerRole): Behaviour {
  const { exitAfterMs: _, exitCode: __, exitReason: ___, terminationMessage: ____, ...rest } = behaviour
  return role === 'init' ? { ...rest, exitAfterMs: behaviour.initTakesMs } : rest
}

function defined(behaviour: Behaviour): Behaviour {
  return Object.fromEntries(Object.entries(behaviour).filter(([, value]) => value !== undefined))
}

function matches(
  { metadata, spec }: Live<Pod>,
  name: string,
  { container, labels = {}, image }: BehaviourRule,
): boolean {
  if (container !== undefined && container !== name) return false
  if (!Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value)) return false
  if (image === undefined) return true
  return (spec?.containers ?? []).some(({ image: used = '' }) =>
    typeof image === 'string' ? used === image : image.test(used),
  )
}

/** `suffix`: of the annotations of one container. */
function annotated({ metadata }: Live<Pod>, suffix: string, problem: (text: string) => void): Behaviour {
  const annotation = (name: string): string | undefined => metadata.annotations?.[`${prefix}${name}${suffix}`]
  const wrong = (name: string, text: string, advice: string): undefined => {
    problem(`${prefix}${name}${suffix} is "${text}": ${advice}`)
  }
  const time = (name: string): number | undefined => {
    const text = annotation(name)
    if (text === undefined) return undefined
    const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text)
    if (match !== null)
      return Number(match[1]) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match[2] as 'ms' | 's' | 'm' | 'h']
    return wrong(name, text, 'write a time as 500ms, 3s or 2m')
  }
  const timeOrNever = (name: string): number | null | undefined => (annotation(name) === 'never' ? null : time(name))
  const codes = (text: string | undefined): readonly number[] | undefined => {
    if (text === undefined) return undefined
    const parts = text.split(',')
    if (parts.every((part) => /^\d{1,3}$/.test(part))) return parts.map(Number)
    return wrong('exit-code', text, 'write a code as 3, or one for each start as 1,1,0')
  }
  const fault = annotation('fault')
  if (fault !== undefined && faults[fault] === undefined)
    wrong('fault', fault, `use one of ${podFaultNames.join(', ')}`)
  const text = annotation('log')
  return {
    ...faults[fault ?? ''],
    ...defined({
      startAfterMs: time('start-after'),
      readyAfterMs: timeOrNever('ready-after'),
      exitAfterMs: timeOrNever('exit-after'),
      stopTakesMs: time('stop-takes'),
      exitCode: codes(annotation('exit-code')),
      terminationMessage: annotation('termination-message'),
      log: text === undefined ? undefined : [{ text, everyMs: time('log-every') }],
    }),
  }
}
