/** What a user does while the operator is at work, right before one of its calls. */
import type { KubeObject } from '../api/object.ts'
import type { TransportRequest } from '../client/transport.ts'
import type { Embedded, Snapshot } from '../cluster/embedded-handle.ts'
import type { Kind } from '../schema/kind.ts'
import { kindText } from './changes.ts'
import type { CallFault } from './fault.ts'
import type { KnownStep } from './search/runs.ts'
import type { ExploreStep } from './trial.ts'

const mark = 'explorer.coxswain.dev/mark'

interface Found {
  readonly kind: Kind
  readonly object: KubeObject
  readonly key: { readonly namespace: string | undefined; readonly name: string }
}

/** Live objects of these kinds at the end of the step, in the order of their names. */
function found({ twin }: KnownStep, kinds: readonly Kind[]): readonly Found[] {
  return liveIn(twin.end, kinds)
}

function liveIn({ items }: Snapshot, kinds: readonly Kind[]): readonly Found[] {
  return items.flatMap(({ object }) => {
    const kind = kinds.find((each) => kindText(each) === kindText(object))
    const { namespace, name = '', deletionTimestamp } = object.metadata
    return kind === undefined || deletionTimestamp !== undefined ? [] : [{ kind, object, key: { namespace, name } }]
  })
}

function owner(known: KnownStep): Found | undefined {
  return found(
    known,
    known.operator.kinds.filter((kind) => 'crd' in kind),
  )[0]
}

/** One after the other, so that a step tries all of them. */
function child(known: KnownStep, call: number): Found | undefined {
  const uid = owner(known)?.object.metadata.uid
  const children = found(known, known.operator.owned).filter(({ object }) =>
    object.metadata.ownerReferences?.some((each) => each.controller === true && each.uid === uid),
  )
  return children[call % children.length]
}

/** Those that have an owner, before the step or after it: the one that the call is about, or one after the other. */
function childAt({ from, twin, operator }: KnownStep, call: number): Found | undefined {
  const children = [from, twin.end]
    .flatMap((state) => liveIn(state, operator.owned))
    .filter(({ object }) => object.metadata.ownerReferences?.some(({ controller }) => controller === true) === true)
  const path = twin.calls[call - 1]?.path.replace(/\?.*/, '')
  const about = children.find(({ kind, key }) => path?.endsWith(`/${kind.plural}/${key.name}`) === true)
  return about ?? children[call % children.length]
}

const named = (what: string, { kind, key }: Found): string => `${what} ${kind.kind} ${key.name}`

const settled = (cluster: Embedded): Promise<void> => cluster.settle({ allowFailing: true })

async function isThere({ client }: Embedded, { kind, key }: Found): Promise<boolean> {
  return client.get(kind, key).then(
    () => true,
    () => false,
  )
}

/** As a user writes it: without an owner. */
const copyOf = ({ object }: Found): never => {
  const { metadata, status: _status, ...content } = object as KubeObject & { readonly status?: unknown }
  const { name, namespace, labels } = metadata
  return { ...content, metadata: { name, namespace, labels } } as never
}

const edit = (
  happens: string,
  what: (known: KnownStep, call: number) => Omit<ExploreStep, 'expects'> | undefined,
): CallFault => ({
  happens: `before the call ${happens}`,
  isPossible: ({ stream }: TransportRequest) => stream !== true,
  edit: (known, call) => {
    const wanted = what(known, call)
    return wanted === undefined ? undefined : { rest: known.step.rest, expects: known.step.expects, ...wanted }
  },
  at: (_, run) => ({ type: 'meanwhile', act: () => run.editNow() }),
})

export const userEdits = {
  'user-next-step': {
    ...edit('the user does what the next step of the scenario does', ({ next }) => next),
    edit: ({ next }) => next,
  },
  'user-deletes-owner': edit('the user deletes the object that the operator works for', (known) => {
    const target = owner(known)
    if (target === undefined) return undefined
    return {
      name: named('delete', target),
      act: async ({ client }) => void (await client.delete(target.kind, target.key)),
    }
  }),
  'user-recreates-owner': edit(
    'the user deletes the object that the operator works for, and makes it again',
    (known) => {
      const target = owner(known)
      if (target === undefined) return undefined
      const createAgain = async (cluster: Embedded): Promise<void> => {
        if (!(await isThere(cluster, target))) await cluster.apply(copyOf(target))
      }
      return {
        name: named('re-create', target),
        act: async (cluster) => {
          await cluster.client.delete(target.kind, target.key)
          await createAgain(cluster)
        },
        // It is there until its finalizers are removed.
        rest: async (cluster) => {
          await settled(cluster)
          await createAgain(cluster)
          await settled(cluster)
        },
      }
    },
  ),
  'user-marks-owner': edit(
    'somebody adds a label and a finalizer to the object that the operator works for',
    (known) => {
      const target = owner(known)
      if (target === undefined) return undefined
      return {
        name: named('mark', target),
        act: async ({ client }) => {
          const { metadata } = await client.get(target.kind, target.key)
          const { finalizers = [], resourceVersion } = metadata
          const marked = { labels: { [mark]: 'true' }, finalizers: [...finalizers, mark], resourceVersion }
          await client.patch(target.kind, target.key, { type: 'merge', patch: { metadata: marked } as never })
        },
      }
    },
  ),
  'user-deletes-child': edit('somebody deletes one of the objects that the operator has made', (known, call) => {
    const target = child(known, call)
    if (target === undefined) return undefined
    return {
      name: named('delete', target),
      act: async ({ client }) => void (await client.delete(target.kind, target.key)),
    }
  }),
  'user-replaces-child': edit(
    'somebody deletes one of the objects that the operator has made, and makes an equal one that nobody owns',
    (known, call) => {
      const target = childAt(known, call)
      if (target === undefined) return undefined
      return {
        name: named('replace', target),
        act: async ({ client }) => {
          // Nobody comes in between: a server in this process has done both before any event arrives.
          const deleted = client.delete(target.kind, target.key).catch(() => undefined)
          const created = client.apply(target.kind, copyOf(target), { force: true })
          await deleted
          const { metadata } = await created
          if (metadata.ownerReferences !== undefined) throw new Error('it was not replaced')
        },
      }
    },
  ),
} as const satisfies Readonly<Record<string, CallFault>>
