/**
 * Objects whose atomic lists hold something in another form than the stored one: a quantity in another notation (`1000`
 * for `1k`), an empty list for none. Upstream tells the two apart there, and only there: who writes such a list takes
 * it, though it is what was stored.
 */
import type { KubeObject } from '../../api/object.ts'

const given = new WeakMap<KubeObject, () => KubeObject>()

/** `form` makes the object with these as they were given. */
export function rememberGiven(object: KubeObject, form: () => KubeObject): void {
  given.set(object, form)
}

/** The object as it is to be compared. */
export function givenForm(object: KubeObject): KubeObject {
  return given.get(object)?.() ?? object
}
