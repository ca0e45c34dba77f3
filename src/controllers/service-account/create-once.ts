/** Creates objects that each namespace must have. An existing object and a namespace in deletion are no errors. */
import { ApiError } from '../../index.ts'

export async function createUnlessTerminating(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (error instanceof ApiError && (error.status.reason === 'AlreadyExists' || isEnding(error))) return
    throw error
  }
}

function isEnding({ code, status }: ApiError): boolean {
  return code === 404 || status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true
}
