/** docs/reference/manager.md and metrics.md have every setting, check, debug path and metric. */
import { describe, expect, it, vi } from 'vitest'
import { docsPage } from '../../test/docs/page.ts'
import { controller } from '../controller/builder.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { createLogger } from '../telemetry/log-writer.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { webhookMetrics } from '../telemetry/webhook-metrics.ts'
import { readConfiguration } from './configuration.ts'
import { debugRoutes } from './endpoints.ts'
import { OperatorRuntime } from './operator-runtime.ts'
import { settingEntries, variablesOf } from './settings.ts'

const page = docsPage('reference/manager.md')

function program(...args: string[]): OperatorRuntime {
  const env = simulatedEnv()
  const maps = controller(ConfigMap).reconcile(() => undefined)
  return new OperatorRuntime({
    name: 'maps',
    controllers: [maps],
    namespace: 'default',
    env,
    log: createLogger({ env, write: () => undefined }),
    transport: { request: () => Promise.reject(new Error('not used')), close: () => Promise.resolve() },
    configuration: readConfiguration({ args: ['--leader-elect', ...args] }),
  })
}

/** Name, type, labels and help of every metric that is registered while `register` runs. */
function registered(register: () => void): Map<string, string> {
  const rows = new Map<string, string>()
  const types = ['counter', 'gauge', 'histogram'] as const
  const spies = types.map((type) => vi.spyOn(Metrics.prototype, type))
  register()
  const calls = spies.flatMap(({ mock }, index) =>
    mock.calls.map(([options], call) => ({ options, type: types[index], at: mock.invocationCallOrder[call] ?? 0 })),
  )
  for (const { options, type } of calls.toSorted((a, b) => a.at - b.at))
    rows.set(options.name, `| \`${options.name}\` | ${type} | ${options.labels?.join(', ') ?? ''} | ${options.help} |`)
  for (const spy of spies) spy.mockRestore()
  return rows
}

describe('docs/reference/metrics.md', () => {
  it('docs/reference/metrics.md has every metric with its type, labels and help', () => {
    const rows = registered(() => {
      program()
      program('--shards', '2')
      webhookMetrics(new Metrics())
    })
    expect(rows.size).toBeGreaterThan(45)
    const { manager } = program()
    for (const [, name = ''] of manager.metrics.text().matchAll(/^# TYPE (\S+) /gm)) expect(rows.has(name)).toBe(true)
    const header = ['| metric | type | labels | |', '|---|---|---|---|']
    docsPage('reference/metrics.md').checkGenerated('metrics', [...header, ...rows.values()])
  })
})

describe('docs/reference/manager.md', () => {
  it('docs/reference/manager.md has every setting', () => {
    page.checkGenerated('settings', [
      '| setting | default | environment variables | |',
      '|---|---|---|---|',
      ...settingEntries.map(
        ([name, { default: fallback, help }]) =>
          `| \`--${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${variablesOf(name)
            .map((variable) => `\`${variable}\``)
            .join(', ')} | ${help} |`,
      ),
    ])
  })

  it('docs/reference/manager.md has every check and every path', async () => {
    const { text } = page
    const { manager } = program()
    for (const [endpoint, probes] of [
      ['healthz', manager.healthz],
      ['readyz', manager.readyz],
    ] as const) {
      const { body } = await probes.answer(endpoint, { verbose: true })
      const names = [...body.matchAll(/^\[.\]([-\w]+) /gm)].map(([, name]) => name)
      expect(names.length).toBeGreaterThan(2)
      const reported = [...text.matchAll(new RegExp(`^\\| \`/${endpoint}\` \\| \`([-\\w]+)\``, 'gm'))].map(
        ([, name]) => name,
      )
      expect(reported).toEqual(names)
    }
    const env = simulatedEnv()
    for (const route of Object.keys(debugRoutes(manager, createLogger({ env, write: () => undefined }))))
      expect(text).toMatch(new RegExp(`^\\| \`[^|]*${route}`, 'm'))
  })
})
