/** Shrinks a sequence that shows a difference, and prints it as a case of the suite. */
import { isObject } from '../../../src/api/json.ts'
import type { Json } from '../../../src/api/json.ts'
import type { Step } from '../case.ts'
import { pathsOf, withValue } from './mutate.ts'

/** Whether these steps still show the difference. */
export type Shows = (steps: readonly Step[]) => Promise<boolean>

/** The maximum of attempts: each one runs on a real server. */
const tries = 300

export async function shrink(steps: readonly Step[], test: Shows): Promise<readonly Step[]> {
  let left = tries
  const shows: Shows = async (fewer) => left-- > 0 && (await test(fewer))
  let smallest = steps
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.length - 1;) {
      const fewer = withoutSteps(smallest, at, size)
      if (fewer.length < smallest.length && (await shows(fewer))) smallest = fewer
      else at += size
    }
  }
  return left > 0 ? shrinkBodies(smallest, shows) : smallest
}

async function shrinkBodies(steps: readonly Step[], shows: Shows): Promise<readonly Step[]> {
  let smallest = steps
  for (let i = 0; i < smallest.length; i++) {
    let again = true
    while (again) {
      again = false
      const body = smallest[i]?.body
      if (!isObject(body) && !Array.isArray(body)) break
      for (const path of pathsOf(body)) {
        const smaller = smallest.map((step, j) =>
          j === i ? { ...step, body: withValue(body, path, undefined) } : step,
        )
        if (!(await shows(smaller))) continue
        smallest = smaller
        again = true
        break
      }
    }
  }
  return smallest
}

/** Removes steps and renumbers references to the remaining ones. */
export function withoutSteps(steps: readonly Step[], at: number, count: number): Step[] {
  const kept = steps.filter((_, i) => i < at || i >= at + count)
  const moved = (text: string): string =>
    text.replaceAll(/\{\{(\d+)\./g, (_, number: string) => {
      const n = Number(number)
      if (n < at) return `{{${n}.`
      return n < at + count ? '{{999.' : `{{${n - count}.`
    })
  return kept.map((step) => JSON.parse(moved(JSON.stringify(step))) as Step)
}

export function asCase(name: string, steps: readonly Step[]): string {
  const lines = steps.map(({ method, path, body, headers }) => {
    const extra = headers === undefined ? '' : `, { headers: ${source(headers)} }`
    return `    request('${method}', '${path}', ${body === undefined ? 'undefined' : source(body)}${extra}),`
  })
  return [`{`, `  name: '${name}',`, '  steps: [', ...lines, '  ],', '},'].join('\n')
}

function source(value: Json | Readonly<Record<string, string>>): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => source(item)).join(', ')}]`
  if (typeof value === 'string')
    return `'${value
      .replaceAll('\\', '\\\\')
      .replaceAll("'", String.raw`\'`)
      .replaceAll('\n', String.raw`\n`)}'`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, child]) => `${/^[a-z_]\w*$/i.test(key) ? key : source(key)}: ${source(child)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
