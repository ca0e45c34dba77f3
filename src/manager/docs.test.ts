/**
 * `docs/reference/manager.md` says what is: its tables of settings and metrics come from the code. `UPDATE_DOCS=1` writes them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { createLogger } from '../telemetry/log-writer.ts'
import { readConfiguration } from './configuration.ts'
import { debugRoutes } from './endpoints.ts'
import { Program } from './program.ts'
import { settingEntries, variablesOf } from './settings.ts'

const path = fileURLToPath(new URL('../../docs/reference/manager.md', import.meta.url))

/** Compares what is between the marks, or writes it. */
function table(name: string, rows: readonly string[]): void {
  const text = readFileSync(path, 'utf8')
  const [before = '', head = '', after = ''] = text.split(new RegExp(`(<!-- ${name}:.*-->\\n.*\\n\\|[-|]+\\|\\n)`))
  const end = after.indexOf(`<!-- end of ${name} -->`)
  expect(end, `the table of ${name}`).toBeGreaterThanOrEqual(0)
  const wanted = rows.map((row) => `${row}\n`).join('')
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(path, before + head + wanted + after.slice(end))
  else expect(after.slice(0, end)).toBe(wanted)
}

function program(): Program {
  const env = simulatedEnv()
  const maps = controller(ConfigMap).reconcile(() => undefined)
  return new Program({
    name: 'maps',
    controllers: [maps],
    namespace: 'default',
    env,
    log: createLogger({ env, write: () => undefined }),
    transport: { request: () => Promise.reject(new Error('not used')), close: () => Promise.resolve() },
    configuration: readConfiguration({ args: ['--leader-elect'] }),
  })
}

describe('docs/reference/manager.md', () => {
  it('has every setting', () => {
    table(
      'settings',
      settingEntries.map(
        ([name, { default: fallback, help }]) =>
          `| \`--${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${variablesOf(name)
            .map((variable) => `\`${variable}\``)
            .join(', ')} | ${help} |`,
      ),
    )
  })

  it('has every metric', () => {
    const text = program().manager.metrics.text()
    const rows = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \1 (\w+)$/gm)].map(
      ([, name, help, type]) => `| \`${name}\` | ${type} | ${help} |`,
    )
    expect(rows.length).toBeGreaterThan(30)
    table('metrics', rows)
  })

  it('has every check and every path', async () => {
    const text = readFileSync(path, 'utf8')
    const { manager } = program()
    for (const [endpoint, probes] of [
      ['healthz', manager.healthz],
      ['readyz', manager.readyz],
    ] as const) {
      const { body } = await probes.answer(endpoint, { verbose: true })
      const names = [...body.matchAll(/^\[.\]([-\w]+) /gm)].map(([, name]) => name)
      expect(names.length).toBeGreaterThan(2)
      const told = [...text.matchAll(new RegExp(`^\\| \`/${endpoint}\` \\| \`([-\\w]+)\``, 'gm'))].map(
        ([, name]) => name,
      )
      expect(told).toEqual(names)
    }
    const env = simulatedEnv()
    for (const route of Object.keys(debugRoutes(manager, createLogger({ env, write: () => undefined }))))
      expect(text).toMatch(new RegExp(`^\\| \`[^|]*${route}`, 'm'))
  })
})
