/** A vitest reporter that ends a run with a line for each client and a summary. */
import type { Reporter, TestModule } from 'vitest/node'

export default class ClientsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const results = modules.map(resultOf)
    const reported = (state: Result['state']): Result[] => results.filter((each) => each.state === state)
    for (const { state, name, seconds } of results)
      console.log(`${state} ${name}${state === 'skipped' ? '' : ` (${seconds} s)`}`)
    const skipped = reported('skipped')
    const why = [...new Set(skipped.map(({ name }) => name.slice(name.indexOf(': ') + 2)))].join('; ')
    const ran = results.length - skipped.length
    console.log(
      `clients: ${reported('passed').length} of ${ran} passed, ${skipped.length} ` +
        `skipped${why === '' ? '' : ` (${why})`}`,
    )
  }
}

interface Result {
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly name: string
  readonly seconds: string
}

/** Each file tests one client, in one group with its name. */
function resultOf(module: TestModule): Result {
  const state = module.state()
  const group = module.children.at(0)
  const name = group?.type === 'suite' ? group.name : module.moduleId
  const { duration } = module.diagnostic()
  return {
    state: state === 'passed' || state === 'skipped' ? state : 'failed',
    name,
    seconds: (duration / 1_000).toFixed(0),
  }
}
