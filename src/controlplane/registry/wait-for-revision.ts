/** A read at a revision that the store has not reached waits for it, and then fails with upstream's 504. */
import { apiError } from '../../api/status.ts'
import type { RegistryCall } from './call.ts'

/** How long upstream waits for its cache to catch up. */
const maxWaitMs = 3000

export function waitForRevision<T>(call: RegistryCall, revision: number, read: () => T): T | Promise<T> {
  const { store, env } = call.backend
  if (revision <= store.revision) return read()
  return new Promise((resolve, reject) => {
    const complete = (finish: () => void) => {
      timer.cancel()
      writes.stop()
      call.request.signal?.removeEventListener('abort', stop)
      finish()
    }
    const attempt = () => {
      try {
        resolve(read())
      } catch (error) {
        reject(error)
      }
    }
    const stop = () => complete(() => reject(apiError.timeout('the client went away', 1)))
    const timer = env.after(maxWaitMs, () => complete(() => reject(tooLarge(revision, store.revision))))
    const writes = store.onWrite((current) => {
      if (current >= revision) complete(attempt)
    })
    call.request.signal?.addEventListener('abort', stop, { once: true })
  })
}

function tooLarge(requested: number, current: number) {
  return apiError.timeout(`Timeout: Too large resource version: ${requested}, current: ${current}`, 1, {
    reason: 'ResourceVersionTooLarge',
    message: 'Too large resource version',
  })
}
