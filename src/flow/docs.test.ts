/** docs/reference/flow.md: its example runs, its trace is the actual one, and its tables match the code. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { docsPage, withoutImports } from '../../test/docs/page.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { embedded } from '../testing/index.ts'
import * as compose from './compose.ts'
import * as decorators from './decorators.ts'
import * as machines from './machine.ts'
import * as outcomes from './outcome.ts'
import * as steps from './step.ts'
import { Page, pages } from './testdata/docs-example.ts'
import { traceLines } from './trace-lines.ts'
import { TraceRing } from './trace-ring.ts'
import {
  traceVersion,
  type CallTrace,
  type EventTrace,
  type StepTrace,
  type Trace,
  type TransitionTrace,
} from './trace.ts'

const { text: page, blocks, table } = docsPage('reference/flow.md')

describe('docs/reference/flow.md', () => {
  it('docs/reference/flow.md shows code that is compiled', () => {
    const compiled = readFileSync(new URL('testdata/docs-example.ts', import.meta.url), 'utf8')
    expect(compiled).toContain(withoutImports(blocks('ts')[0] ?? ''))
  })

  it('docs/reference/flow.md shows a flow that does what it says, and its trace', async () => {
    const ring = new TraceRing()
    const cluster = await embedded({ controllers: [pages], traces: ring })
    const hello = { apiVersion: 'example.dev/v1', kind: 'Page', metadata: { name: 'hello' }, spec: { text: 'hi' } }
    await cluster.apply(hello)
    await cluster.settle()
    expect(`${traceLines(ring.traces[0] as Trace).join('\n')}\n`).toBe(blocks('')[0])
    expect((await cluster.client.get(ConfigMap, { namespace: 'default', name: 'hello' })).data).toEqual({ text: 'hi' })

    const publishAt = new Date(cluster.env.now() + 3_600_000).toISOString()
    await cluster.apply({ ...hello, metadata: { name: 'later' }, spec: { text: 'ho', publishAt } } as typeof hello)
    await cluster.settle({ patienceMs: 60_000 })
    const phase = async () => (await cluster.client.get(Page, { namespace: 'default', name: 'later' })).status?.phase
    expect(await phase()).toBeUndefined()
    await cluster.advance(3_600_001)
    await cluster.settle()
    expect(await phase()).toBe('Public')
    await cluster.stop()
  })

  it('docs/reference/flow.md names every word and every outcome', () => {
    const words = [steps, compose, decorators, machines]
      .flatMap((module) => Object.keys(module))
      .filter((name) => /^[a-z]/.test(name) && name !== 'stepOf')
    expect(new Set(table('word').map(([word = '']) => /`(\w+)\(/.exec(word)?.[1]))).toEqual(new Set(words))
    const reported = table('outcome').flatMap(([outcome = '']) =>
      [...outcome.matchAll(/`(\w+)\(/g)].map(([, name]) => name),
    )
    expect(new Set(reported)).toEqual(new Set(Object.keys(outcomes).filter((name) => name !== 'checkedOutcome')))
    for (const error of ['StepTimeoutError', 'UndeclaredEdgeError', 'MachineLoopError'])
      expect(page).toContain(`\`${error}\``)
  })

  it('docs/reference/flow.md names every field of a trace', () => {
    type Fields<Entry> = Readonly<Record<Exclude<keyof Entry, 'type' | 'at' | 'ms'>, true>>
    const step: Fields<StepTrace> = {
      name: true,
      inputs: true,
      notes: true,
      outcome: true,
      why: true,
      after: true,
      to: true,
      error: true,
      entries: true,
    }
    const call: Fields<CallTrace> = {
      verb: true,
      kind: true,
      external: true,
      subresource: true,
      namespace: true,
      name: true,
      outcome: true,
      culprit: true,
      changes: true,
      error: true,
      sent: true,
    }
    const transition: Fields<TransitionTrace> = { machine: true, from: true, to: true, why: true }
    const event: Fields<EventTrace> = { eventType: true, reason: true, message: true }
    const rows = new Map(
      table('entry').map(([type = '', tells = '']) => [
        type,
        new Set([...tells.matchAll(/`(\w+)`/g)].map(([, name]) => name)),
      ]),
    )
    for (const [type, fields] of Object.entries({ step, call, transition, event }))
      expect([type, rows.get(`\`${type}\``)]).toEqual([type, new Set(Object.keys(fields))])
    const trace: Readonly<Record<keyof Trace, true>> = {
      version: true,
      id: true,
      controller: true,
      kind: true,
      namespace: true,
      name: true,
      attempt: true,
      triggers: true,
      triggerCount: true,
      started: true,
      ms: true,
      result: true,
      after: true,
      error: true,
      entries: true,
      dropped: true,
    }
    for (const field of Object.keys(trace)) expect(page).toContain(`\`${field}\``)
    expect(page).toContain(`\`${traceVersion}\``)
  })
})
