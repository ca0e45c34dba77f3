/** Who owns fields, as one text. */
import { goJsonString } from '../../api/go-json.ts'
import { Memo, MemoKind } from '../../api/memo.ts'

/** What an owner without a name is called. */
export const unnamed = 'unknown'

interface OwnerParts {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
}

interface KnownId extends OwnerParts {
  readonly id: string
}

/** Few managers write often. */
const recentIds = new Memo(
  new MemoKind<KnownId, OwnerParts>('ids of owners', 16, (known, { manager, operation, apiVersion, subresource }) => {
    return (
      known.manager === manager &&
      known.apiVersion === apiVersion &&
      known.operation === operation &&
      known.subresource === subresource
    )
  }),
)

/** Who an operation is by. Its text is what upstream sorts owners by. An owner without a name is called `unknown`. */
export function ownerId(name: string, operation: 'Apply' | 'Update', apiVersion: string, subresource: string): string {
  const manager = name === '' ? unnamed : name
  const parts: OwnerParts = { manager, operation, apiVersion, subresource }
  const known = recentIds.find(parts)
  if (known !== undefined) return known.id
  const id = idText(manager, operation, apiVersion, subresource)
  recentIds.add({ ...parts, id })
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
