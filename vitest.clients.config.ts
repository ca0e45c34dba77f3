import { defineConfig } from 'vitest/config'

/** Clients that we did not write: `npm run test:clients` builds and runs them. */
export default defineConfig({
  test: {
    include: ['test/clients/*.clients.ts'],
    reporters: ['default', './test/clients/reporter.ts'],
    testTimeout: 180_000,
    hookTimeout: 90_000,
    fileParallelism: false,
  },
})
