import { expect, it } from 'vitest'
import type { WatchResponse, WatchSink } from '../contract/request.ts'
import type { Resource } from '../contract/resource.ts'
import { transformResponse } from './transform-response.ts'

const resource = { kind: 'ConfigMap', columns: [], strategy: {}, builtin: true } as unknown as Resource

it('a watch of Tables asks its reader for room, so that a slow kubectl get -w is not cut off', () => {
  let seen: WatchSink | undefined
  const response: WatchResponse = {
    type: 'watch',
    status: 200,
    start(sink) {
      seen = sink
      return { stop: () => undefined }
    },
  }
  const table = transformResponse(
    response,
    resource,
    { as: 'Table', includeObject: 'None' } as never,
    () => 0,
  ) as WatchResponse
  const resumed: (() => void)[] = []
  table.start({
    event: () => undefined,
    room: (resume) => {
      resumed.push(resume)
      return false
    },
    end: () => undefined,
  })
  const resume = (): void => undefined
  expect(seen?.room(resume)).toBe(false)
  expect(resumed).toEqual([resume])
})
