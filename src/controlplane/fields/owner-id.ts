/** Who owns fields, as one text. */
import { goJsonString } from '../../api/go-json.ts'

/** What an owner without a name is called. */
export const unnamed = 'unknown'

interface KnownId {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
  readonly id: string
}

/** Few write often. */
const knownIds: KnownId[] = []
const idsKept = 16
let oldestId = 0

/** Who an operation is by. Its text is what upstream sorts owners by. An owner without a name is called `unknown`. */
export function ownerId(name: string, operation: 'Apply' | 'Update', apiVersion: string, subresource: string): string {
  const manager = name === '' ? unnamed : name
  for (let i = 0; i < knownIds.length; i++) {
    const known = knownIds[i] as KnownId
    if (
      known.manager === manager &&
      known.apiVersion === apiVersion &&
      known.operation === operation &&
      known.subresource === subresource
    ) {
      return known.id
    }
  }
  const id = idText(manager, operation, apiVersion, subresource)
  knownIds[oldestId] = { manager, operation, apiVersion, subresource, id }
  oldestId = (oldestId + 1) % idsKept
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
