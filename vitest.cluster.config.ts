import { defineConfig } from 'vitest/config'

/** Tests that need the programs of a real cluster: `npm run test:cluster` runs them. */
export default defineConfig({
  test: {
    include: ['{src,test,operators}/**/*.cluster.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
  },
})
