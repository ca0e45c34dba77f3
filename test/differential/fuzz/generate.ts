/**
 * Generates sequences of random requests for a few objects of one or two kinds, by users with several field managers.
 */
import type { Step } from '../case.ts'
import { selection } from './bodies.ts'
import { Choices } from './choices.ts'
import { isLeftOut } from './left-out.ts'
import { builtInSubjects, customSubjects, subjects } from './subjects.ts'
import type { Subject } from './subjects.ts'
import { verbs } from './verbs.ts'

export const sequenceLength = 50

const names = ['one', 'two', 'three']

export interface Sequence {
  readonly seed: number
  readonly steps: readonly Step[]
}

export function generate(seed: number): Sequence {
  const choices = new Choices(seed)
  const used = kindsFor(choices)
  const written = new Map<string, number[]>()
  const steps: Step[] = []
  while (steps.length < sequenceLength) {
    const subject = choices.pick(used)
    const served = choices.pick(subject.versions)
    const name = nameIn(
      subject,
      choices.weighted([
        [5, 'one'],
        [3, 'two'],
        [1, 'three'],
      ] as const),
    )
    const key = `${subject.kind} ${name}`
    const verb = choices.weighted(verbs.map((each) => [each.weight, each] as const))
    const step = verb.build({ choices, subject, served, name, written: written.get(key) ?? [] }, served.requests)
    if (step === undefined || isLeftOut(step)) continue
    if (step.method !== 'GET' && step.method !== 'DELETE') written.set(key, [...(written.get(key) ?? []), steps.length])
    steps.push(step)
  }
  // Sometimes reads the history of the sequence with a watch. The server ends it after a second.
  const oldest = [...written.values()].flat().toSorted((a, b) => a - b)[0]
  const subject = used[0] as Subject
  if (oldest !== undefined && choices.chance(0.25)) {
    const served = choices.pick(subject.versions)
    const selected = selection(
      { choices, subject, served, name: nameIn(subject, 'one'), written: [] },
      { timeoutSeconds: '1' },
    )
    steps.push(served.requests.watch(`${selected}&resourceVersion={{${oldest}.metadata.resourceVersion}}`))
  }
  steps.push(...givenBack(steps))
  return { seed, steps }
}

function kindsFor(choices: Choices): readonly Subject[] {
  const pick = (): Subject => choices.pick(choices.chance(0.4) ? customSubjects : builtInSubjects)
  const first = pick()
  const second = pick()
  return race(first.kind, second.kind) ? [first] : [first, second]
}

/** Names of cluster-scoped objects contain the namespace of the sequence. */
function nameIn({ namespaced }: Subject, name: string): string {
  return namespaced ? name : `{{ns}}-${name}`
}

/** Cluster IPs are scarce, so a sequence with Services deletes them at its end. */
export function givenBack(steps: readonly Step[]): Step[] {
  const services = subjects.find(({ kind }) => kind === 'Service')?.versions[0]?.requests
  if (services === undefined || !steps.some(({ path }) => path.startsWith(services.path))) return []
  const giving = [
    services.deleteAll(),
    ...names.map((each) => services.merge(each, { metadata: { finalizers: null } })),
  ]
  return giving.map((step) => ({ ...step, givesBack: true }))
}

const limited = new Map([
  ['LimitRange', new Set(['Pod', 'PersistentVolumeClaim'])],
  ['ResourceQuota', new Set(['Pod', 'Service'])],
])

/**
 * Whether two kinds would race: the admission of a real server sees a LimitRange or ResourceQuota only after a delay.
 */
function race(a: string, b: string): boolean {
  return limited.get(a)?.has(b) === true || limited.get(b)?.has(a) === true
}
