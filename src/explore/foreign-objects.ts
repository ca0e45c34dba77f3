/** The oracle about objects of others: of kinds that the operator owns, and that it has neither made nor controls. */
import type { KubeObject } from '../api/object.ts'
import { kindText, type OperatorView, type Oracle } from './changes.ts'

/** The operator changes and deletes no object of somebody else, whatever it is called. */
export const foreignObjects: Oracle = {
  name: 'foreign objects',
  change: ({ by, type, object, previous = object }, { operator }) => {
    if (by !== 'operator' || type === 'create' || !isOwnedKind(object, operator) || isOwn(previous, operator))
      return undefined
    const does = type === 'delete' || isMarked(object) !== isMarked(previous) ? 'deleted' : 'changed'
    return `the operator ${does} ${object.kind ?? ''} ${object.metadata.name ?? ''}, which it neither made nor controls`
  },
}

const isMarked = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined

function isOwnedKind(object: KubeObject, { owned }: OperatorView): boolean {
  return owned.some((kind) => kindText(kind) === kindText(object))
}

/** Once it has written a field of the object, it knows it. */
function isOwn({ metadata }: KubeObject, { kinds, managers }: OperatorView): boolean {
  const { ownerReferences = [], managedFields = [] } = metadata
  return (
    ownerReferences.some((owner) => kinds.some((kind) => kindText(kind) === kindText(owner))) ||
    managedFields.some(({ manager = '' }) => managers.has(manager))
  )
}
