/** Deletes the content of a namespace, and reports what remains: by kind, and by the finalizers that block it. */
import { ApiError, Pod, type ApiObject, type Client, type Kind, type Live, type Namespace } from '../../index.ts'
import { kindName } from '../../schema/index.ts'
import { RestMapper, type ServedKind } from '../../client/index.ts'
import { newContentDeletion, type ContentDeletion } from './content-deletion.ts'

export interface ContentOptions {
  readonly client: Client
  readonly namespace: Live<Namespace>
  readonly now: number
  readonly signal: AbortSignal
}

/** The estimated seconds for finalizers. */
const finalizerEstimate = 15

/** Pods first: the objects that they use must outlive them. Everything else is deleted once the last pod is gone. */
export async function deleteContent(options: ContentOptions): Promise<ContentDeletion> {
  const outcome = newContentDeletion()
  let served: readonly ServedKind[] = []
  try {
    served = await deletableKinds(options.client)
  } catch (error) {
    outcome.discoveryError = error
  }
  const pods = served.find(({ kind }) => kindName(kind) === kindName(Pod))
  if (pods !== undefined) await deleteKind(pods, options, outcome)
  outcome.isWaitingForPods = (outcome.remaining.get('pods.') ?? 0) > 0
  if (outcome.isWaitingForPods) return outcome
  for (const each of served) if (each !== pods) await deleteKind(each, options, outcome)
  return outcome
}

/** Each namespaced kind, in the version that the server prefers. */
async function deletableKinds(client: Client): Promise<readonly ServedKind[]> {
  const found = new Map<string, ServedKind>()
  for (const served of await new RestMapper(client).served()) {
    const name = kindName(served.kind)
    if (served.kind.namespaced && served.verbs.includes('delete') && !found.has(name)) found.set(name, served)
  }
  return [...found.values()]
}

async function deleteKind(
  { kind, verbs }: ServedKind,
  options: ContentOptions,
  outcome: ContentDeletion,
): Promise<void> {
  const { namespace } = options
  try {
    const grace = kindName(kind) === kindName(Pod) ? await graceLeft(options) : 0
    await (verbs.includes('deletecollection') ? deleteAll(kind, options) : deleteEach(kind, options))
    const left = await list(kind, options)
    if (left.length === 0) return
    outcome.remaining.set(`${kind.plural}.${kind.group}`, left.length)
    const finalizers = left.flatMap(({ metadata }) => metadata.finalizers ?? [])
    for (const name of finalizers) outcome.finalizers.set(name, (outcome.finalizers.get(name) ?? 0) + 1)
    const estimate = grace > 0 ? grace : finalizers.length > 0 ? finalizerEstimate : 0
    if (estimate === 0)
      throw new Error(
        `unexpected items still remain in namespace: ${namespace.metadata.name} for gvr: ` +
          `${kind.group}/${kind.version}, Resource=${kind.plural}`,
      )
    outcome.estimate = Math.max(outcome.estimate, estimate)
  } catch (error) {
    outcome.contentErrors.push(error)
  }
}

async function deleteAll(kind: Kind, { client, namespace, signal }: ContentOptions): Promise<void> {
  await unlessUnserved(
    client.deleteCollection(kind, { namespace: namespace.metadata.name, propagationPolicy: 'Background', signal }),
  )
}

async function deleteEach(kind: Kind, options: ContentOptions): Promise<void> {
  const { client, namespace, signal } = options
  for (const {
    metadata: { name, uid },
  } of await list(kind, options)) {
    await unlessUnserved(
      client.delete(
        kind,
        { namespace: namespace.metadata.name, name },
        { uid, propagationPolicy: 'Background', signal },
      ),
    )
  }
}

async function list(kind: Kind, { client, namespace, signal }: ContentOptions): Promise<readonly Live<ApiObject>[]> {
  const answer = await unlessUnserved(
    client.list(kind, { namespace: namespace.metadata.name, metadataOnly: true, signal }),
  )
  return answer?.items ?? []
}

/** Seconds until the last grace period of a pod ends, from the deletion of the namespace. */
async function graceLeft({ client, namespace, now, signal }: ContentOptions): Promise<number> {
  const { items } = await client.list(Pod, { namespace: namespace.metadata.name, signal })
  const isOver = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed'
  const graces = items
    .filter(({ status }) => !isOver(status?.phase))
    .map(({ spec }) => spec?.terminationGracePeriodSeconds ?? 0)
  const elapsed = Math.floor((now - Date.parse(namespace.metadata.deletionTimestamp ?? '')) / 1000)
  return Math.max(0, Math.max(0, ...graces) - elapsed)
}

/** A kind or an object that disappeared in the meantime is no error. */
async function unlessUnserved<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 405)) return undefined
    throw error
  }
}
