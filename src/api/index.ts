/** Values of the Kubernetes API: Status, quantities, selectors, and predicates for errors of the API. */
export {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNamespaceTerminating,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnsupportedMediaType,
  retryAfter,
} from './error-reasons.ts'
export { equalJson } from './json.ts'
export type { FrozenJson } from './json.ts'
export { labelSelectorFrom } from './label-selector-object.ts'
export type { Selector } from './label-selector.ts'
export { parseKey } from './live-object.ts'
export type { DeepReadonly, LiveMeta } from './live-object.ts'
export { microTime } from './micro-time.ts'
export type { GroupVersionKind, ManagedFieldsEntry } from './object.ts'
export { canonicalQuantity, integerValue, milliValue, parseQuantity, QuantityError } from './quantity.ts'
export type { Quantity } from './quantity.ts'
export type { Status, StatusCause, StatusDetails } from './status.ts'
