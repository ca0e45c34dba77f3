/** Creates objects that each namespace must have. An existing object and a namespace in deletion are no errors. */
import { isNamespaceTerminating } from '../../api/index.ts'
import { isAlreadyExists, isNotFound } from '../../index.ts'

export async function createUnlessTerminating(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (isAlreadyExists(error) || isNotFound(error) || isNamespaceTerminating(error)) return
    throw error
  }
}
