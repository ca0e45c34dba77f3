/** A vitest reporter that says how much of the operators' behaviour the explorations of a run have covered. */
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { addExplored, exploredText, type Explored } from './explored.ts'

const root = new URL('../../..', import.meta.url).pathname

export default class ExplorationReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    let all: Explored | undefined
    for (const module of modules)
      for (const test of module.children.allTests()) {
        const { explored } = test.meta()
        if (explored !== undefined) all = addExplored(all, explored)
      }
    if (all === undefined) return
    const own = modules.filter(({ moduleId }) => relative(root, moduleId).startsWith('src/explore/'))
    const seconds = (own.reduce((sum, module) => sum + module.diagnostic().duration, 0) / 1000).toFixed(1)
    const ofItself = own.length === 0 ? '' : `; tests of the explorer itself: ${seconds} s`
    console.log(`\nexploration: ${exploredText(all)}${ofItself}`)
  }
}
