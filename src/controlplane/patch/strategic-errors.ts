/** The errors of strategic merge patches. Upstream returns most of them bare: code 500 and no reason. */
import { goQuote, goString, goType, goValue } from '../../api/go-format.ts'
import type { Json, JsonObject } from '../../api/json.ts'
import { apiError } from '../../api/status.ts'

export const strategicError = {
  badRetainKeys: () => apiError.badRequest('invalid patch format of retainKeys'),
  badDeleteList: () => apiError.badRequest('invalid patch format of primitive list'),
  badElementOrder: () => apiError.badRequest('invalid patch format of setElementOrder list'),
  listOfLists: () => apiError.unprocessable(),
  unknownDirective: (directive: Json, item: JsonObject) =>
    apiError.internal(`unknown patch type: ${goString(directive)} in map: ${goValue(item)}`),
  mergeDirectiveInList: () => apiError.internal('merging lists cannot yet be specified in the patch'),
  noMergeKey: (item: JsonObject, key: string) =>
    apiError.internal(`map: ${goValue(item)} does not contain declared merge key: ${key}`),
  noMergeKeyDeclared: (kind: string) => apiError.internal(`cannot merge lists without merge key for ${kind}`),
  notAList: (value: Json) => wrongType('[]interface {}', value),
  notAMap: (value: Json) => wrongType('map[string]interface {}', value),
  itemNotAMap: (index: number) => apiError.internal(`value for key ${index} is not a map`),
  mixedList: (lists: readonly Json[][]) =>
    apiError.internal(`list element types are not identical: ${goValue(lists as Json[])}`),
  noElements: () => apiError.internal('no elements in any of the given slices'),
  orderMismatch: (patch: Json[], order: Json[]) =>
    apiError.internal(
      `The order in patch list:\n${goValue(patch)}\n doesn't match $setElementOrder list:\n${goValue(order)}\n`,
    ),
  notAStruct: (kind: string) =>
    apiError.internal(`merging an object in json but data type is not struct, instead is: ${kind}`),
  notAListField: () => apiError.internal('expected slice or array type, but got: struct'),
  unknownField: (type: string, field: string) =>
    apiError.internal(`unable to find api field in struct ${type} for the json field ${goQuote(field)}`),
}

function wrongType(expected: string, value: Json): Error {
  const received = value === null ? '%!s(<nil>)' : goType(value)
  return apiError.internal(`expected a ${expected}, but received a ${received}`)
}
