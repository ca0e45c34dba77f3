/** Which steps of the scenario an exploration lives through, and whether it is asked for one run only. */
import { parseSchedule, type Schedule } from './schedule.ts'
import type { ExploreStep } from './trial.ts'

export interface Selection {
  readonly steps: readonly ExploreStep[]
  /** Its step is the name of one of the steps. */
  readonly only?: Schedule | undefined
}

/**
 * `only` is the name of a run in a report, which begins with its step. A shrunk one begins with the steps that it
 * needs, separated by commas: the others are left out. A comma in front: it needs no other step.
 */
export function selectRun(steps: readonly ExploreStep[], only: string | undefined): Selection {
  const names = steps.map(({ name }) => name)
  const wrong = names.find((name, index) => name.includes('/') || names.indexOf(name) !== index)
  if (wrong !== undefined) throw new Error(`"${wrong}" cannot name a step: names must be unique, without slashes`)
  if (only === undefined) return { steps }
  const schedule = parseSchedule(only)
  if (schedule !== undefined) {
    if (names.includes(schedule.step)) return { steps, only: schedule }
    const needed = schedule.step.replace(/^,/, '').split(',')
    const selected = steps.filter(({ name }) => needed.includes(name))
    const last = needed.at(-1) ?? ''
    if (selected.length === needed.length && selected.at(-1)?.name === last)
      return { steps: selected, only: { ...schedule, step: last } }
  }
  throw new Error(`"${only}" is not the name of a run: give STEP/CALL/FAULT, as in a report`)
}

/** The text for `only` of a run that needs these steps. */
export function selectionText(names: readonly string[]): string {
  return names.length === 1 ? `,${names[0]}` : names.join(',')
}
