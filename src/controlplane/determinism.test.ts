/** The same requests with the same seed give byte-identical responses, under a simulated clock. */
import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { createControlPlane } from './index.ts'

const path = '/api/v1/namespaces/default'

async function story(seed: number): Promise<string> {
  const env = simulatedEnv({ seed })
  const plane = createControlPlane({ env })
  const api = plane.transport()
  const answers: unknown[] = []
  const { events } = await api({
    method: 'GET',
    path: '/api/v1/pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=600',
  })
  for (let i = 0; i < 5; i++) {
    answers.push(
      await api({
        method: 'POST',
        path: `${path}/configmaps`,
        body: { metadata: { generateName: 'gen-' }, data: { i: String(i) } },
      }),
    )
    answers.push(
      await api({
        method: 'POST',
        path: `${path}/services`,
        body: { metadata: { name: `s${i}` }, spec: { ports: [{ port: 80 }] } },
      }),
    )
    answers.push(
      await api({
        method: 'POST',
        path: `${path}/pods`,
        body: { metadata: { generateName: 'p-' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      }),
    )
    env.advance(61_000)
  }
  const late = api({ method: 'GET', path: `${path}/configmaps?resourceVersion=99999` })
  env.advance(3000)
  answers.push(await late, await api({ method: 'GET', path: `${path}/configmaps` }), events?.drain())
  env.advance(600_000)
  answers.push(events?.drain(), events?.ended)
  await plane.close()
  // `stored` is the server's own record of an event's object, for the in-process transport. It is not in a response.
  return JSON.stringify(answers, (name, value: unknown) => (name === 'stored' ? undefined : value))
}

describe('determinism', () => {
  it('the control plane repeats itself for a seed and differs between seeds', async () => {
    const first = await story(7)
    expect(await story(7)).toBe(first)
    expect(await story(8)).not.toBe(first)
  })

  it('the control plane sends bookmarks and ends watches by the simulated clock', async () => {
    const answers = JSON.parse(await story(7)) as { type?: string; status?: number }[][]
    const types = (answers.at(-3) ?? []).map(({ type }) => type)
    expect(types.filter((type) => type === 'ADDED')).toHaveLength(5)
    expect(types.filter((type) => type === 'BOOKMARK').length).toBeGreaterThanOrEqual(4)
    expect(answers.at(-1)).toBe(true)
  })

  it('the control plane answers a revision that never comes with 504 after three seconds', async () => {
    const answers = JSON.parse(await story(7)) as { status: number }[]
    expect(answers.at(-5)?.status).toBe(504)
  })
})
