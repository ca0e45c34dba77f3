/**
 * Plays one sequence of actions and faults, then removes the faults and waits. Throws a {@link Broken} with the
 * violated rules.
 */
import { makePeace, perform, type Action, type Scene } from './actions.ts'
import { problemsAtRest } from './at-rest.ts'
import type { ClusterState } from './cluster-state.ts'
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

/** What is specific to the workloads of a story. */
export interface Workloads {
  /** Watches every write; returns the list to which it adds violations. */
  readonly watch: (scene: Scene) => readonly string[]
  readonly makePeace: (scene: Scene) => Promise<void>
  readonly problemsAtRest: (state: ClusterState) => readonly string[]
}

const deployments: Workloads = { watch: () => [], makePeace, problemsAtRest }

export async function play(actions: readonly Action[], seed: number, workloads = deployments): Promise<void> {
  const world = new World(seed)
  await world.start()
  const rules = new Rules(world)
  const scene = { world, rules }
  const violations = workloads.watch(scene)
  try {
    for (const each of actions) {
      await perform(scene, each)
      nothing(`after ${each.what}`, [...rules.violations, ...violations])
    }
    await workloads.makePeace(scene)
    await world.settle()
    nothing('on the way to rest', [...rules.violations, ...violations])
    nothing(
      'at the end',
      world.ended.map((name) => `the ${name} have given up`),
    )
    nothing('at rest', [...workloads.problemsAtRest(rules.state), ...rules.jobs.problemsAtRest()])
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
