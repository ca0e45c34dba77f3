import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{src,test,bench}/**/*.test.ts', 'scripts/**/*.test.mjs'],
    testTimeout: 30_000,
  },
})
