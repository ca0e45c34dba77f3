/**
 * Marks on plain objects: a subclass of {@link OnObject} puts its private fields on the object it is given. No key, no
 * copy and no comparison sees them, and freezing does not concern them. A WeakMap would do the same, but with an entry
 * per object, each of which every garbage collection looks at.
 */

/** A constructor that returns its argument. */
export const OnObject = function (target: object): object {
  return target
} as unknown as new (target: object) => object
