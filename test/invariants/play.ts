/**
 * Plays one sequence of actions and faults, then removes the faults and waits. Throws a {@link Broken} with the
 * violated rules.
 */
import { makePeace, perform, type Action } from './actions.ts'
import { problemsAtRest } from './at-rest.ts'
import { Rules } from './rules.ts'
import { programNames, World } from './world.ts'

export class Broken extends Error {
  constructor(when: string, problems: readonly string[]) {
    super(`${when}: ${problems.join('; ')}`)
    this.name = 'Broken'
  }
}

/** An hour, in milliseconds. */
const rest = 3_600_000

export async function play(actions: readonly Action[], seed: number): Promise<void> {
  const world = new World(seed)
  await world.start()
  const rules = new Rules(world)
  const scene = { world, rules }
  try {
    for (const each of actions) {
      await perform(scene, each)
      nothing(`after ${each.what}`, rules.violations)
    }
    await makePeace(scene)
    await world.settle()
    nothing('on the way to rest', rules.violations)
    nothing(
      'at the end',
      world.ended.map((name) => `the ${name} have given up`),
    )
    nothing('at rest', problemsAtRest(rules.state))
    const { changes } = world
    for (const name of programNames) world.crash(name)
    await world.settle()
    nothing('after all were started again', world.changes === changes ? [] : [`${world.changes - changes} writes`])
    const { writes } = world
    await world.env.advanceAsync(rest)
    nothing('in an hour at rest', world.writes === writes ? [] : [`${world.writes - writes} writes`])
  } finally {
    await world.stop()
  }
}

function nothing(when: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Broken(when, problems)
}
