import { expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import type { ListResponse, WatchEvent, WatchResponse, WatchSink } from '../contract/request.ts'
import type { Stored } from '../storage/store.ts'
import { decorateResponse } from './decorate-response.ts'

const show = (object: KubeObject): KubeObject =>
  object['hidden'] === undefined ? object : { kind: 'K', metadata: object.metadata }
const stored = (name: string, more: object = {}): Stored => ({
  key: name,
  revision: 1,
  object: { kind: 'K', metadata: { name }, ...more },
  encoded: 'text',
})
const plain = stored('plain')
const odd = stored('odd', { hidden: true })

it('decoration shows an object, and makes what it shows once', () => {
  const answer = (of: Stored) =>
    decorateResponse({ type: 'object', status: 200, body: of.object as never, stored: of }, show)
  expect(answer(plain)).toMatchObject({ body: plain.object, stored: plain })
  const shown = answer(odd)
  expect(shown).toMatchObject({
    status: 200,
    body: { kind: 'K', metadata: { name: 'odd' } },
    stored: { key: 'odd', encoded: undefined },
  })
  expect(shown).not.toHaveProperty('body.hidden')
  expect(shown).toHaveProperty('stored', (answer(odd) as { stored: Stored }).stored)
})

it('decoration shows what is not stored, and leaves a Status and a text alone', () => {
  expect(decorateResponse({ type: 'object', status: 200, body: { kind: 'K', metadata: {}, hidden: 1 } }, show)).toEqual(
    {
      type: 'object',
      status: 200,
      body: { kind: 'K', metadata: {} },
    },
  )
  const failure = { type: 'object', status: 404, body: { kind: 'Status', hidden: 1 } } as const
  expect(decorateResponse(failure, show)).toBe(failure)
  const text = { type: 'text', status: 200, contentType: 'text/plain', body: 'x' } as const
  expect(decorateResponse(text, show)).toBe(text)
})

it('decoration shows the items of a list', () => {
  const list: ListResponse = {
    type: 'list',
    status: 200,
    kind: 'KList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '1' },
    items: [plain, odd],
    typedItems: false,
  }
  const { items } = decorateResponse(list, show) as ListResponse
  expect(items[0]).toBe(plain)
  expect(items[1]?.object).toEqual({ kind: 'K', metadata: { name: 'odd' } })
})

it('decoration shows the objects of events, but no errors; the sink goes on to say whether it keeps up', () => {
  const events: WatchEvent[] = [
    { type: 'ADDED', object: odd.object, stored: odd },
    { type: 'DELETED', object: { kind: 'K', metadata: {}, hidden: 1 } },
    { type: 'ERROR', object: { kind: 'Status', hidden: 1 } },
  ]
  const seen: unknown[] = []
  const watch: WatchResponse = {
    type: 'watch',
    status: 200,
    start(sink) {
      for (const event of events) sink.event(event)
      seen.push(sink.room?.(() => seen.push('resumed')))
      sink.end()
      return { stop: () => seen.push('stopped') }
    },
  }
  const sink: WatchSink = {
    event: ({ object }) => seen.push(object),
    room: (resume) => {
      resume()
      return false
    },
    end: () => seen.push('ended'),
  }
  ;(decorateResponse(watch, show) as WatchResponse).start(sink).stop()
  expect(seen).toEqual([
    { kind: 'K', metadata: { name: 'odd' } },
    { kind: 'K', metadata: {} },
    { kind: 'Status', hidden: 1 },
    'resumed',
    false,
    'ended',
    'stopped',
  ])
})
