import { expect, it } from 'vitest'
import type { TransportRequest, WireEvent } from '../client/transport.ts'
import { noteReceived, WatchResumption } from './watch-resumption.ts'

const watch = (query: string): TransportRequest => ({ method: 'GET', path: `/api/v1/pods?watch=true&${query}` })
const event = (version: number): WireEvent => ({
  type: 'MODIFIED',
  object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: String(version) } },
})

it('a watch that resumes before what it has received is found', () => {
  const watches = new WatchResumption()
  const first = watches.begin(watch('resourceVersion=5'))
  noteReceived(first.received, event(9))
  expect(watches.begin(watch('resourceVersion=7')).problem).toBe(
    'the watch of /api/v1/pods resumes at 7, and it has received 9',
  )
})

it('a watch may resume where it ended, or begin anew, and others do not matter', () => {
  const watches = new WatchResumption()
  noteReceived(watches.begin(watch('resourceVersion=5')).received, event(9))
  expect(watches.begin(watch('resourceVersion=9')).problem).toBeUndefined()
  expect(watches.begin(watch('resourceVersion=2&sendInitialEvents=true')).problem).toBeUndefined()
  expect(watches.begin(watch('resourceVersion=3&labelSelector=a')).problem).toBeUndefined()
  // The second program has not received more than this.
  expect(watches.begin(watch('resourceVersion=4')).problem).toBeUndefined()
})
