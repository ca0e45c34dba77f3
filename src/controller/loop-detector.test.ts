import { describe, expect, it } from 'vitest'
import { LoopDetector, type RunWrite } from './loop-detector.ts'
import type { Trigger, Triggers } from './triggers.ts'

const triggers = (...versions: (string | undefined)[]): Triggers => ({
  first: versions.map((version): Trigger => ({ verb: 'update', kind: 'App', name: 'a', version, changed: ['status'] })),
  count: versions.length,
})
const status = (version: string): RunWrite => ({ what: 'App a (status)', version, isStatus: true })
const child = (version: string): RunWrite => ({
  what: 'ConfigMap m (data.text, which vandal changes)',
  version,
  isStatus: false,
})

/** Records `runs` runs, a second apart, and returns the warnings. */
function noted(
  runs: number,
  write: (run: number) => readonly RunWrite[],
  because: (run: number) => Triggers,
  generation: (run: number) => number = () => 1,
  gap = 1000,
): string[] {
  const detector = new LoopDetector()
  return Array.from({ length: runs }, (_, run) =>
    detector.note('a', { generation: generation(run), writes: write(run) }, because(run), run * gap),
  ).filter((said) => said !== undefined)
}
const ownEvent = (run: number) => triggers(`${run - 1}`)

describe('a loop', () => {
  it('a reconcile loop is a status that is written again and again because it was written', () => {
    expect(noted(12, (run) => [status(`${run}`)], ownEvent)).toEqual([
      'ran 11 times within a minute though its spec did not change; what it keeps writing: App a (status)',
    ])
  })

  it('a reconcile loop is a fight with somebody who changes things back', () => {
    expect(
      noted(
        11,
        (run) => [child(`${run}`)],
        () => triggers('foreign'),
      )[0],
    ).toContain('ConfigMap m (data.text, which vandal changes)')
  })

  it('a reconcile loop is a fight, even if runs between the writes find everything as wanted', () => {
    expect(noted(22, (run) => (run % 2 === 0 ? [child(`${run}`)] : []), ownEvent)).toHaveLength(1)
  })

  it('a reconcile loop is reported once in ten minutes', () => {
    expect(noted(590, (run) => [child(`${run}`)], ownEvent)).toHaveLength(1)
    expect(noted(1300, (run) => [child(`${run}`)], ownEvent)).toHaveLength(3)
  })
})

describe('no loop', () => {
  it.each<[string, () => string[]]>([
    [
      'is a rollout that the status follows',
      () =>
        noted(
          50,
          (run) => [status(`${run}`)],
          (run) => triggers(`deployment-${run}`),
        ),
    ],
    [
      'is a run that had another reason, too',
      () =>
        noted(
          50,
          (run) => [status(`${run}`)],
          (run) => triggers(`${run - 1}`, 'other'),
        ),
    ],
    [
      'is a run with more reasons than are kept',
      () =>
        noted(
          50,
          (run) => [status(`${run}`)],
          (run) => ({ ...ownEvent(run), count: 9 }),
        ),
    ],
    ['are runs that write nothing', () => noted(50, () => [], ownEvent)],
    [
      'is a spec that changes each time',
      () =>
        noted(
          50,
          (run) => [child(`${run}`)],
          ownEvent,
          (run) => run,
        ),
    ],
    [
      'are runs that are far apart',
      () =>
        noted(
          50,
          (run) => [child(`${run}`)],
          ownEvent,
          () => 1,
          7000,
        ),
    ],
  ])('no reconcile loop: %s', (_, said) => {
    expect(said()).toEqual([])
  })

  it('nothing is remembered of the loops of a deleted key', () => {
    const detector = new LoopDetector()
    const note = (run: number) => detector.note('a', { generation: 1, writes: [child(`${run}`)] }, triggers('x'), run)
    for (let run = 0; run < 10; run++) note(run)
    detector.forget('a')
    expect(note(11)).toBeUndefined()
  })
})
