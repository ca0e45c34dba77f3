/** Waits for effects of other threads and processes, as long as a busy machine may take. */
import { expect } from 'vitest'

export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 20_000, interval: 10 })
