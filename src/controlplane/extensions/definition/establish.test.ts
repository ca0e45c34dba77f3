import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { cleanupFinalizer, finishCleanup, markForDeletion, needsCleanup, startCleanup } from './deletion.ts'
import { establish } from './establish.ts'

const now = Date.parse('2026-11-15T23:16:51Z')
const time = '2026-11-15T23:16:51Z'

function crd(plural: string, names: JsonObject, group = 'ex.io'): KubeObject {
  const kind = names['kind'] as string
  return {
    metadata: { name: `${plural}.${group}` },
    spec: { group, names: { plural, singular: kind.toLowerCase(), listKind: `${kind}List`, ...names } },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  }
}

/** Writes every status until there is none left, one after the other. */
function settle(object: KubeObject, others: KubeObject[] = []): { crd: KubeObject; steps: JsonObject[] } {
  const steps: JsonObject[] = []
  let current = object
  for (let next = establish(current, others, now); next !== undefined; next = establish(current, others, now)) {
    steps.push(next)
    current = { metadata: object.metadata, spec: object['spec'] as Json, status: next }
    if (steps.length > 5) throw new Error('does not settle')
  }
  return { crd: current, steps }
}

describe('establish', () => {
  it('establish accepts names first and establishes then, as recorded', () => {
    const { steps } = settle(crd('widgets', { kind: 'Widget', shortNames: ['wix'], categories: ['all'] }))
    const accepted = {
      plural: 'widgets',
      singular: 'widget',
      shortNames: ['wix'],
      kind: 'Widget',
      listKind: 'WidgetList',
      categories: ['all'],
    }
    const names = {
      type: 'NamesAccepted',
      status: 'True',
      lastTransitionTime: time,
      reason: 'NoConflicts',
      message: 'no conflicts found',
    }
    const message = 'the initial names have been accepted'
    expect(steps).toEqual([
      {
        conditions: [
          names,
          { type: 'Established', status: 'False', lastTransitionTime: time, reason: 'Installing', message },
        ],
        acceptedNames: accepted,
        storedVersions: ['v1'],
      },
      {
        conditions: [
          names,
          { type: 'Established', status: 'True', lastTransitionTime: time, reason: 'InitialNamesAccepted', message },
        ],
        acceptedNames: accepted,
        storedVersions: ['v1'],
      },
    ])
  })

  it('establish refuses names that others have, and takes them when they are free', () => {
    const first = settle(crd('as', { kind: 'A', shortNames: ['x'] })).crd
    const second = settle(crd('bs', { kind: 'B', shortNames: ['x', 'y'] }), [first]).crd
    expect(second['status']).toMatchObject({
      conditions: [
        { type: 'NamesAccepted', status: 'False', reason: 'ShortNamesConflict', message: '"x" is already in use' },
        { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
      ],
      acceptedNames: { plural: 'bs', singular: 'b', kind: 'B', listKind: 'BList' },
    })
    const freed = settle(second).crd
    expect(freed['status']).toMatchObject({ acceptedNames: { shortNames: ['x', 'y'] } })
    expect((freed['status'] as JsonObject)['conditions']).toMatchObject([{ status: 'True' }, { status: 'True' }])
  })

  it('establish keeps groups apart', () => {
    const other = settle(crd('as', { kind: 'A' }, 'other.io')).crd
    expect(settle(crd('as', { kind: 'A' }), [other]).steps).toHaveLength(2)
  })

  it('establish stays established when new names clash', () => {
    const first = settle(crd('as', { kind: 'A', shortNames: ['x'] })).crd
    const own = settle(crd('bs', { kind: 'B' })).crd
    const renamed = {
      ...own,
      spec: {
        ...(own['spec'] as JsonObject),
        names: { ...((own['spec'] as JsonObject)['names'] as JsonObject), shortNames: ['x'] },
      },
    }
    const { crd: after } = settle(renamed, [first])
    expect((after['status'] as JsonObject)['conditions']).toMatchObject([
      { type: 'NamesAccepted', status: 'False' },
      { type: 'Established', status: 'True' },
    ])
  })

  it('establish tells of approval in the groups of Kubernetes', () => {
    const { crd: after } = settle(crd('as', { kind: 'A' }, 'x.k8s.io'))
    expect((after['status'] as JsonObject)['conditions']).toContainEqual(
      expect.objectContaining({
        type: 'KubernetesAPIApprovalPolicyConformant',
        status: 'False',
        reason: 'MissingAnnotation',
      }),
    )
  })
})

describe('deletion', () => {
  it('deletion of a CRD marks, cleans up and lets go', () => {
    const live = settle(crd('as', { kind: 'A' })).crd
    const marked = markForDeletion(live, now)
    expect(marked.metadata).toEqual({ name: 'as.ex.io', deletionTimestamp: time, finalizers: [cleanupFinalizer] })
    expect(needsCleanup(live)).toBe(false)
    expect(needsCleanup(marked)).toBe(true)
    const terminating = (object: KubeObject) => ((object['status'] as JsonObject)['conditions'] as JsonObject[])[2]
    expect(terminating(marked)).toMatchObject({
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
    })
    const started = startCleanup(marked, now + 5000)
    expect(terminating(started)).toMatchObject({ reason: 'InstanceDeletionInProgress', lastTransitionTime: time })
    const done = finishCleanup(started, now + 9000)
    expect(terminating(done)).toMatchObject({
      status: 'False',
      reason: 'InstanceDeletionCompleted',
      lastTransitionTime: '2026-11-15T23:17:00Z',
    })
    expect(done.metadata.finalizers).toBeUndefined()
    expect(live.metadata).toEqual({ name: 'as.ex.io' })
  })

  it('deletion of a CRD keeps other finalizers, and says when nothing could ever exist', () => {
    const object = crd('as', { kind: 'A' })
    object.metadata.finalizers = ['x/y']
    const done = finishCleanup(markForDeletion(object, now), now)
    expect(done.metadata.finalizers).toEqual(['x/y'])
    expect((done['status'] as JsonObject)['conditions']).toMatchObject([
      { type: 'Terminating', reason: 'NeverEstablished' },
    ])
  })
})
