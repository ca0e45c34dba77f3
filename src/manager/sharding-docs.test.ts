/** `docs/explanation/sharding.md` matches the code. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Site } from './testdata/managed.ts'
import { settings } from './settings.ts'

const page = readFileSync(fileURLToPath(new URL('../../docs/explanation/sharding.md', import.meta.url)), 'utf8')

describe('the page about sharding', () => {
  it('the page about sharding names settings and metrics that there are', async () => {
    for (const [, name] of page.matchAll(/--([a-z][-a-z]+)/g)) expect(Object.keys(settings)).toContain(name)
    const site = new Site()
    const { manager } = site.manager({ leaderElection: { namespace: 'default', name: 'apps', shards: 8 } })
    const rows = [...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name)
    expect(rows).toHaveLength(3)
    for (const name of rows) expect(manager.metrics.text()).toContain(`# TYPE ${name} gauge`)
    for (const lease of ['apps-0', 'apps-7'])
      expect(manager.metrics.text()).toContain(`leader_election_master_status{name="${lease}"} 0`)
    expect(page).toContain('`NAME-0` to `NAME-7`')
    await site.close()
  })
})
