/** Who owns fields, as one text. */
import { goJsonString } from '../../api/go-json.ts'
import { Memo, memoCounter } from '../../api/memo.ts'

/** What an owner without a name is called. */
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

/** Who an operation is by. Its text is what upstream sorts owners by. An owner without a name is called `unknown`. */
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

/** The same of an owner that was read, whose name may be empty. Not kept. */
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
