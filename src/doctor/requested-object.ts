/** Finds the object that a user names, or says what to write instead. */
import { isNotFound } from '../api/error-reasons.ts'
import type { KubeObject } from '../api/object.ts'
import type { Client } from '../client/client.ts'
import type { ServedKind } from '../client/discovery.ts'
import { KindNotServedError, type RestMapper } from '../client/rest-mapper.ts'
import { kindName } from '../schema/kind.ts'
import { isBuiltIn, type Examined } from './examined.ts'

export interface ObjectRequest {
  /** As for kubectl: `deploy`, `deployments.apps`, `Guestbook`. */
  readonly kind: string
  readonly name: string
  /** Ignored for cluster-scoped kinds. */
  readonly namespace: string
}

export interface RequestedObject extends Examined {
  readonly served: ServedKind
}

/** Rejects with what is wrong with the request. */
export async function requestedObject(
  client: Client,
  mapper: RestMapper,
  request: ObjectRequest,
): Promise<RequestedObject> {
  const served = await servedKind(mapper, request.kind)
  const { kind } = served
  const { name, namespace } = request
  const place = kind.namespaced ? { namespace, name } : { name }
  try {
    return { served, kind, object: (await client.get(kind, place)) as unknown as KubeObject }
  } catch (error) {
    if (!isNotFound(error)) throw error
    const where = kind.namespaced ? ` in namespace ${namespace}` : ''
    const option = kind.namespaced ? ' --all-namespaces' : ''
    throw new Error(
      `there is no ${kind.kind} ${name}${where}: kubectl get ${kindName(kind)}${option} lists those that exist`,
      { cause: error },
    )
  }
}

async function servedKind(mapper: RestMapper, name: string): Promise<ServedKind> {
  const found = await mapper.find(name).catch((error: unknown) => {
    if (!(error instanceof KindNotServedError)) throw error
    throw new Error(`${error.message} kubectl api-resources lists the kinds that it serves`, { cause: error })
  })
  if (name.includes('.') || isBuiltIn(found.kind)) return found
  const others = (await mapper.served()).filter((each) => isCalled(each, name.toLowerCase()))
  const choices = [...new Set(others.map(({ kind }) => kindName(kind)))]
  if (choices.length <= 1) return found
  throw new Error(`several kinds are called ${name}: write ${choices.join(' or ')}`)
}

function isCalled({ kind, singular, shortNames }: ServedKind, word: string): boolean {
  return [kind.plural, singular, kind.kind.toLowerCase(), ...shortNames].includes(word)
}
