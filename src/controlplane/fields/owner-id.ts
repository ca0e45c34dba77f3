/** Owner ids: an owner of fields as one string. */
import { goJsonString } from '../../api/go-json.ts'
import { Memo, memoCounter } from '../../api/memo.ts'

/** The name of an owner without a name. */
export const unnamed = 'unknown'

interface KnownId {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
  readonly id: string
}

/** Few managers write often. */
const recentIds = new Memo<KnownId>(memoCounter('ids of owners', 16))

/** The id of the owner of a write. Upstream sorts owners by it. An owner without a name is called `unknown`. */
export function ownerId(name: string, operation: 'Apply' | 'Update', apiVersion: string, subresource: string): string {
  const manager = name === '' ? unnamed : name
  const { entries } = recentIds
  for (let i = 0; i < entries.length; i++) {
    const known = entries[i] as KnownId
    if (
      known.manager === manager &&
      known.apiVersion === apiVersion &&
      known.operation === operation &&
      known.subresource === subresource
    )
      return recentIds.hit(i).id
  }
  recentIds.miss()
  const id = idText(manager, operation, apiVersion, subresource)
  recentIds.add({ manager, operation, apiVersion, subresource, id })
  return id
}

/** Same for a stored owner, whose name may be empty. Not memoised. */
export function idText(
  manager: string,
  operation: 'Apply' | 'Update',
  apiVersion: string,
  subresource: string,
): string {
  const who = manager === '' ? '' : `"manager":${goJsonString(manager)},`
  const version = operation === 'Apply' ? '' : `,"apiVersion":${goJsonString(apiVersion)}`
  const part = subresource === '' ? '' : `,"subresource":${goJsonString(subresource)}`
  return `{${who}"operation":"${operation}"${version}${part}}`
}
