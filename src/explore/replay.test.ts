import { describe, expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { resource } from '../schema/resource.ts'
import { t } from '../schema/t.ts'
import { explore, type ExploreOptions } from './explore.ts'
import { parseReplay, replay, replayText } from './replay.ts'

const App = resource('example.dev/v1', 'App', { spec: t.object({}) })
const app = { apiVersion: 'example.dev/v1', kind: 'App', metadata: { name: 'a' }, spec: {} }

/** Creates an object with a generated name, which nobody looks for after a crash. */
const forgetful = (others: readonly string[] = []): ExploreOptions => ({
  cluster: {
    controllers: () => [
      controller(App).reconcile(async ({ client, object }) => {
        if (object.metadata.annotations?.['done'] !== undefined) return
        const at = { name: 'a', namespace: 'default' }
        for (const name of others) await client.apply(ConfigMap, { metadata: { ...at, name } }, { force: true })
        await client.create(ConfigMap, { metadata: { generateName: 'a-', namespace: 'default' } })
        await client.patch(App, at, { type: 'merge', patch: { metadata: { annotations: { done: 'yes' } } } })
      }),
    ],
  },
  steps: [{ name: 'create', act: (cluster) => cluster.apply(app) }],
  faults: ['crash-after'],
})

describe('a replay', () => {
  it('a replay fails again, and says when it no longer fits', async () => {
    const report = await explore(forgetful())
    const [failure] = report.failures
    expect(failure?.id).toBe('create/1/crash-after')
    expect(failure?.timeline?.rows[failure.timeline.firstDifference]).toMatchObject({
      twin: { call: 1, status: 201, isServed: true },
      run: { call: 1, fault: 'lost-reply', isServed: true },
    })
    const text = replayText(report, failure as NonNullable<typeof failure>)
    expect(parseReplay(text).faults).toEqual([
      { at: '1', fault: 'crash-after', call: 'POST /api/v1/namespaces/default/configmaps?fieldManager=app' },
    ])
    expect((await replay(forgetful(), text)).failures.map(({ id }) => id)).toEqual(['create/1/crash-after'])
    await expect(replay(forgetful(['other']), text)).rejects.toThrow('the replay no longer fits: call 1')
    await expect(replay({ ...forgetful(), steps: [] }, text)).rejects.toThrow('the scenario has no step "create"')
  })

  it('a replay file of another form is refused', () => {
    expect(() => parseReplay('{')).toThrow('not a replay file')
    expect(() => parseReplay('{"version":"2"}')).toThrow('"version" is "2"')
    const faults = [{ at: '1', fault: 'no-such-fault' }]
    expect(() => parseReplay(JSON.stringify({ version: 'coxswain.dev/replay/v1', step: 'a', faults }))).toThrow(
      'of a known name',
    )
  })
})
