/** The measurements of the operators, side by side. */
import { spread } from '../statistics.ts'

/** Values by name of the measurement, in order of insertion. */
export class Figures {
  readonly name: string
  readonly values = new Map<string, number[]>()

  constructor(name: string) {
    this.name = name
  }

  add(what: string, value: number): void {
    this.values.set(what, [...(this.values.get(what) ?? []), value])
  }

  median(what: string): number {
    return spread(this.values.get(what) ?? []).median
  }
}

const goals: Readonly<Record<string, string>> = {
  'create, calls for an app': '7',
  'update, calls for an app': '4',
  'delete, calls for an app': '4',
  'rest, writes': '0',
  'create, time': 'as Go',
  'update, time': 'as Go',
  'delete, time': 'as Go',
  'create, CPU': 'as Go',
  'update, CPU': 'as Go',
  'delete, CPU': 'as Go',
  'peak memory': '1.5 times Go',
}

function unitOf(what: string): string {
  return what.includes('memory') ? 'MiB' : what.includes('time') || what.includes('CPU') ? 's' : ''
}

/** Ours first; for each other operator also ours as a multiple of it. */
export function table([ours, ...others]: readonly Figures[], apps: number): string {
  if (ours === undefined) return ''
  const head = [
    `${apps.toLocaleString('en')} apps`,
    ours.name,
    ...others.flatMap(({ name }) => [name, 'ours / it']),
    'goal',
  ]
  const rows = [...ours.values.keys()].map((what) => [
    what,
    shown(ours.median(what), unitOf(what)),
    ...others.flatMap((other) => [
      shown(other.median(what), unitOf(what)),
      ratio(ours.median(what), other.median(what)),
    ]),
    goals[what] ?? '',
  ])
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function ratio(ours: number, other: number): string {
  return other === 0 ? '' : (ours / other).toFixed(2)
}

function shown(value: number, unit: string): string {
  const text = Number.isInteger(value)
    ? value.toLocaleString('en')
    : value >= 100
      ? Math.round(value).toLocaleString('en')
      : value.toFixed(2)
  return unit === '' ? text : `${text} ${unit}`
}
