import { describe, expect, it } from 'vitest'
import type { Json } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { instanceById, instanceOf } from './pod-containers.ts'

const pod = (status: Record<string, Json> | undefined): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  status: status === undefined ? {} : { containerStatuses: [{ name: 'c', ...status }] },
})
const ended = (id: string): Json => ({
  exitCode: 3,
  reason: 'Error',
  startedAt: '2026-01-01T00:00:00Z',
  finishedAt: '2026-01-01T00:00:05Z',
  ...(id === '' ? {} : { containerID: id }),
})

describe('the run of a container', () => {
  it.each<[string, Record<string, Json> | undefined, string]>([
    ['no status', undefined, 'container "c" in pod "a" is not available'],
    ['no state', {}, 'container "c" in pod "a" is waiting to start - no logs yet'],
    [
      'waiting',
      { state: { waiting: { reason: 'PodInitializing' } } },
      'container "c" in pod "a" is waiting to start: PodInitializing',
    ],
    [
      'a pull that failed',
      { state: { waiting: { reason: 'ErrImagePull' } } },
      'container "c" in pod "a" is waiting to start: image can\'t be pulled',
    ],
    [
      'a pull that fails',
      { state: { waiting: { reason: 'ImagePullBackOff' } } },
      'container "c" in pod "a" is waiting to start: trying and failing to pull image',
    ],
    ['an end without a beginning', { state: { terminated: ended('') } }, 'container "c" in pod "a" is terminated'],
  ])('is not there: %s', (_, status, message) => {
    expect(() => instanceOf(pod(status), 'c', false)).toThrow(message)
    expect(() => instanceOf(pod({ ...status }), 'c', true)).toThrow(
      'previous terminated container "c" in pod "a" not found',
    )
  })

  it('the run of a container is the present one, or else the last', () => {
    const running = {
      containerID: 'x://2',
      state: { running: { startedAt: '2026-01-01T00:01:00Z' } },
      lastState: { terminated: ended('x://1') },
    }
    expect(instanceOf(pod(running), 'c', false)).toEqual({ id: 'x://2', startedAt: Date.UTC(2026, 0, 1, 0, 1) })
    expect(instanceOf(pod(running), 'c', true)).toMatchObject({
      id: 'x://1',
      exitCode: 3,
      reason: 'Error',
      finishedAt: Date.UTC(2026, 0, 1, 0, 0, 5),
    })
    expect(
      instanceOf(
        pod({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: ended('x://1') } }),
        'c',
        false,
      ),
    ).toMatchObject({ id: 'x://1' })
    expect(instanceById(pod(running), 'c', 'x://1')).toMatchObject({ id: 'x://1' })
    expect(instanceById(pod(running), 'c', 'x://0')).toBeUndefined()
    expect(instanceById(pod(running), 'd', 'x://1')).toBeUndefined()
  })
})
