/**
 * The operations that are measured as rates: one repeated request each. HTTP and in-process measurements share them.
 */
import { large, largeTitle } from './large-kind.ts'
import { configMap, deployment, manifest, pod, type Kind, type PatchedKind } from './manifests.ts'
import { objectSlot, sequenceSlot, type RequestText } from './template.ts'

export interface Operation {
  readonly name: string
  readonly title: string
  readonly request: RequestText
  /**
   * What must exist before the measurement. `nothing`: every request creates a new object; all are deleted afterwards.
   * `objects`: {@link objectCount} objects, which are read or changed in turn. `applied`: the same, and this request
   * was sent once for each.
   */
  readonly needs: 'nothing' | 'objects' | 'applied'
  readonly kind: Kind
  /** Requests per second of a real kube-apiserver; see `reference` in report.ts. */
  readonly reference?: number
}

/** More than the number of clients, so that no two concurrent requests are for the same object. */
export const objectCount = 1000

/** The name prefix of the existing objects. */
export const objectPrefix = 'object'

function create(name: string, kind: Kind, reference?: number): Operation {
  return {
    name: `create-${name}`,
    title: `create ${kind.kind}`,
    request: { method: 'POST', path: kind.collection, body: manifest(kind, 'new') },
    needs: 'nothing',
    kind,
    ...(reference === undefined ? {} : { reference }),
  }
}

export function operations(patched: PatchedKind): Operation[] {
  const path = `${patched.collection}/${objectPrefix}-${objectSlot}`
  const changed = `v-${sequenceSlot}`
  const apply = `${path}?fieldManager=bench&force=true`
  const applyType = 'application/apply-patch+yaml'
  const mergeType = 'application/merge-patch+json'
  const body = manifest(patched, objectPrefix)
  const about = { kind: patched, needs: 'objects' } as const
  return [
    create('configmap', configMap, 1783),
    create('deployment', deployment),
    create('pod', pod, 1159),
    { ...about, name: 'get', title: `get ${patched.kind}`, request: { method: 'GET', path }, reference: 2324 },
    {
      ...about,
      name: 'merge-patch',
      title: `merge patch ${patched.kind}`,
      reference: 1022,
      request: { method: 'PATCH', path, contentType: mergeType, body: JSON.stringify(patched.mergePatch(changed)) },
    },
    {
      ...about,
      name: 'status-patch',
      title: `status patch ${patched.kind}`,
      reference: 741,
      request: {
        method: 'PATCH',
        path: `${path}/status`,
        contentType: mergeType,
        body: JSON.stringify(patched.statusPatch(changed)),
      },
    },
    {
      ...about,
      name: 'apply-changed',
      title: `apply ${patched.kind}, changed`,
      reference: 689,
      request: { method: 'PATCH', path: apply, contentType: applyType, body },
    },
    {
      ...about,
      name: 'apply-unchanged',
      title: `apply ${patched.kind}, unchanged`,
      reference: 711,
      needs: 'applied',
      request: {
        method: 'PATCH',
        path: apply,
        contentType: applyType,
        body: body.replaceAll(sequenceSlot, 'unchanged'),
      },
    },
    { ...create('large', large), title: `create ${largeTitle}` },
    {
      name: 'apply-large',
      title: `apply ${largeTitle}, changed`,
      kind: large,
      needs: 'objects',
      request: {
        method: 'PATCH',
        path: `${large.collection}/${objectPrefix}-${objectSlot}?fieldManager=bench&force=true`,
        contentType: applyType,
        body: manifest(large, objectPrefix),
      },
    },
  ]
}
