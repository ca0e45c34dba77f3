/** docs/reference/plan.md: its options are those of the command, and its example output is the actual one. */
import type { JsonObject } from '../api/json.ts'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import webapp from '../../operators/webapp/operator.ts'
import { planCommand } from '../cli/plan-command.ts'
import { embedded } from '../cluster/embedded.ts'
import type { Manifest } from './manifest.ts'
import { plan } from './plan.ts'
import { planText } from './plan-text.ts'

const page = readFileSync(new URL('../../docs/reference/plan.md', import.meta.url), 'utf8')
const now = Date.parse('2026-11-17T00:00:00Z')

describe('docs/reference/plan.md', () => {
  it('docs/reference/plan.md has every option', () => {
    const options = Object.entries(planCommand.options)
      .filter(([name]) => name !== 'help')
      .map(([name, { value }]) => `--${name}${value === undefined ? '' : ` ${value}`}`)
    expect([...page.matchAll(/^\| `(--[^`]+)` \|/gm)].map(([, option]) => option)).toEqual(options)
  })

  it('docs/reference/plan.md shows what is said', async () => {
    const app = (spec: JsonObject): Manifest => ({
      apiVersion: 'coxswain.dev/v1',
      kind: 'WebApp',
      metadata: { name: 'hello', namespace: 'default' },
      spec,
    })
    const cluster = await embedded({ nodes: 1, controllers: webapp.controllers })
    await cluster.apply(app({ image: 'nginx:1.27', replicas: 2 }))
    await cluster.settle()
    const text = planText(
      await plan({ operator: webapp, from: cluster.client, apply: [app({ image: 'nginx:1.28', replicas: 3 })], now }),
    )
    await cluster.stop()
    const [, shown = ''] =
      /\$ npm run -s coxswain -- plan operators\/webapp app\.yaml\n([\s\S]*?)\n```/.exec(page) ?? []
    expect(text).toBe(shown)
  })
})
