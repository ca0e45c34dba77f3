/** docs/reference/controller.md: its example runs, and its tables match the code. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { docsPage, withoutImports } from '../../test/docs/page.ts'
import { ApiError } from '../api/status.ts'
import { StaleCacheError } from '../cache/cache.ts'
import { ExternalError } from '../external/external-error.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { controller } from './builder.ts'
import type { ReconcileContext } from './context.ts'
import type { ControllerOptions } from './definition.ts'
import { BeingDeletedError, NotOwnedError, PermanentError, RetryableError } from './errors.ts'
import { App, stopAfterEach } from './testdata/app.ts'
import { Greeting, greetings } from './testdata/docs-example.ts'
import { endingOf } from './testdata/ending.ts'
import { harness } from './testdata/harness.ts'
import * as filters from './update-filters.ts'

stopAfterEach()

const page = docsPage('reference/controller.md')
const { table, names } = page

describe('docs/reference/controller.md', () => {
  it('docs/reference/controller.md shows code that is compiled', () => {
    const compiled = readFileSync(new URL('testdata/docs-example.ts', import.meta.url), 'utf8')
    const [whole = '', watching = ''] = page.blocks('ts')
    expect(compiled).toContain(withoutImports(whole))
    expect(watching).toContain('.watches(')
    expect(compiled).toContain(watching)
  })

  it('docs/reference/controller.md shows a controller that does what it says', async () => {
    const all = await harness(greetings, { crds: [Greeting.crd] })
    await all.client.create(Greeting, {
      metadata: { name: 'a', namespace: 'default' },
      spec: { text: 'hello you', loud: true },
    })
    await all.settle()
    expect((await all.client.get(ConfigMap, { namespace: 'default', name: 'a' })).data).toEqual({
      greeting: 'HELLO YOU',
    })
    expect((await all.client.get(Greeting, { namespace: 'default', name: 'a' })).status).toMatchObject({
      words: 2,
      observedGeneration: 1,
      conditions: [{ type: 'Ready', status: 'True' }],
    })
    await all.stop()
  })

  it('docs/reference/controller.md has all of the builder, options, filters and context', () => {
    expect(names('method').toSorted()).toEqual([...Object.keys(controller(App)), 'controller'].toSorted())
    const options: Record<keyof ControllerOptions, true> = {
      concurrency: true,
      reconcileTimeoutMs: true,
      maxRetries: true,
      limiter: true,
      debounce: true,
      batchPerTick: true,
      reconcileOwnWrites: true,
      fieldManager: true,
      observedGeneration: true,
      driftEvents: true,
      eventSource: true,
      failureEvents: true,
      leaderOnly: true,
    }
    expect(table('option').map(([name]) => name)).toEqual(Object.keys(options).map((name) => `\`${name}\``))
    const context: Record<keyof ReconcileContext<never>, true> = {
      object: true,
      key: true,
      kind: true,
      get: true,
      list: true,
      owned: true,
      apply: true,
      delete: true,
      patch: true,
      client: true,
      use: true,
      status: true,
      checkpoint: true,
      event: true,
      signal: true,
      log: true,
      reconcileId: true,
      attempt: true,
      triggers: true,
      now: true,
      random: true,
      uuid: true,
    }
    const reported = table('field').flatMap(([first = '']) =>
      [...first.matchAll(/`(\w+)`/g)].map(([, name]) => name as string),
    )
    expect(reported.toSorted()).toEqual(Object.keys(context).toSorted())
    for (const name of Object.keys(filters)) expect(page.text).toContain(`\`${name}`)
  })

  it('docs/reference/controller.md says what follows from each error', async () => {
    const answer = (code: number, reason: string, details: object) =>
      new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, details })
    const examples: [unknown, string, string][] = [
      [new RetryableError('x'), 'after the backoff', '`error`'],
      [new ExternalError('registry', 'ensure', new TypeError('x')), 'after the backoff', '`error`'],
      [new RetryableError('x', { afterMs: 500 }), 'after that time', '`error`'],
      [new PermanentError('x'), 'at the next event', '`error`, terminal'],
      [new TypeError('x'), 'after the backoff', '`error`, panic'],
      [answer(409, 'Conflict', {}), 'within a second', '`conflict`'],
      [new StaleCacheError('x'), 'within a second', '`stale`'],
      [new BeingDeletedError('x'), 'within a second', '`requeue_after`'],
      [answer(403, 'Forbidden', { causes: [{ reason: 'NamespaceTerminating' }] }), 'never', '`success`'],
    ]
    const rows = table('thrown')
    expect(rows.map(([, again, counted]) => [again, counted])).toEqual(
      examples.map(([, again, counted]) => [again, counted]),
    )
    for (const [index, [error]] of examples.entries()) {
      const [, again, counted = '', event] = rows[index] as string[]
      const { retriedAfterMs, ...ending } = await endingOf(error)
      if (again === 'never' || again === 'at the next event') expect(retriedAfterMs).toBeUndefined()
      else expect(retriedAfterMs).toBeLessThanOrEqual(1000)
      if (again === 'after that time') expect(retriedAfterMs).toBe(500)
      const words = [`\`${ending.result}\``, ending.isTerminal ? 'terminal' : '', ending.isPanic ? 'panic' : '']
      expect(counted).toBe(words.filter((word) => word !== '').join(', '))
      expect(event).toBe(ending.event ?? 'none')
    }
    expect(new NotOwnedError('x')).toBeInstanceOf(PermanentError)
  })
})
