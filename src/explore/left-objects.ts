/** Oracles about what is left at rest: objects without an owner, and objects that cannot be deleted. */
import type { KubeObject } from '../api/object.ts'
import { kindText, type ClusterView, type Oracle } from './changes.ts'

const named = (object: KubeObject): string => `${kindText(object)} ${object.metadata.name ?? ''}`
const list = (objects: readonly KubeObject[]): string => objects.map(named).join(', ')

/** Finalizers of the cluster itself, whose controllers may not be running. */
const isBuiltin = (finalizer: string): boolean =>
  /^(foregroundDeletion|orphan|kubernetes|.*kubernetes\.io\/.*)$/.test(finalizer)

/** No object is left whose controller is gone, unless the garbage collector would delete it. */
export const orphans: Oracle = {
  name: 'orphans',
  rest: (world) => {
    const { all } = world
    const uids = new Set(all.map(({ metadata }) => metadata.uid))
    const left = all.filter(({ metadata: { ownerReferences = [], deletionTimestamp } }) => {
      if (deletionTimestamp !== undefined) return false
      const isWithoutController = ownerReferences.some(({ controller, uid }) => controller === true && !uids.has(uid))
      // The garbage collector keeps what still has an owner.
      return isWithoutController && (world.operator.isCollected || ownerReferences.some(({ uid }) => uids.has(uid)))
    })
    return left.length === 0 ? undefined : `the controller of ${list(left)} is gone, and nothing deletes it`
  },
}

/** The server makes it in the request that creates a Service, and deletes it with the Service. */
const isAddress = (object: KubeObject): boolean => kindText(object) === 'networking.k8s.io/v1 IPAddress'

/** When the last object of the operator's own kinds is gone, so is everything that it created, or that came of it. */
export const leftovers: Oracle = {
  name: 'leftovers',
  rest: (world) => {
    const { all, operator } = world
    const own = new Set(operator.kinds.map(kindText))
    if (all.some((object) => own.has(kindText(object)))) return undefined
    const left = all.filter((object) => {
      const { uid = '', ownerReferences = [] } = object.metadata
      return ownerReferences.length === 0 && world.isMade(uid) && !isAddress(object)
    })
    return left.length === 0
      ? undefined
      : `the operator created ${list(left)}, or its owner; nobody owns it now, and it is left when the last ` +
          `${operator.kinds.map(({ kind }) => kind).join(' and ')} is gone`
  },
}

/** No object waits for the operator's finalizers at rest. */
export const finalizers: Oracle = {
  name: 'finalizers',
  rest: (world) => {
    if (world.expects === 'not ready' || world.expects === 'failing') return undefined
    const stuck = concerning(world).filter(
      ({ metadata: { deletionTimestamp, finalizers: names = [] } }) =>
        deletionTimestamp !== undefined && names.some((name) => !isBuiltin(name)),
    )
    if (stuck.length === 0) return undefined
    const held = stuck.map((object) => `${named(object)} (${object.metadata.finalizers?.join(', ') ?? ''})`)
    return `nobody removes the finalizers of ${held.join(', ')}, which is being deleted`
  },
}

/** Objects of the kinds that the operator reconciles or owns. */
function concerning({ all, operator: { kinds, owned } }: ClusterView): readonly KubeObject[] {
  const types = new Set([...kinds, ...owned].map(kindText))
  return all.filter((object) => types.has(kindText(object)))
}
