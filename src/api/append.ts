/**
 * Appends a list to another one. `push(...items)` passes each item as an argument, and overflows the stack with many.
 */
export function appendAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item)
}
