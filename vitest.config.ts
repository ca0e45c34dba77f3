import { defineConfig } from 'vitest/config'

const source = (path: string): string => new URL(path, import.meta.url).pathname

export default defineConfig({
  // Examples import the package by its name, as users do.
  resolve: {
    alias: [
      { find: /^coxswain$/, replacement: source('./src/index.ts') },
      { find: /^coxswain\/([a-z]+)$/, replacement: source('./src/$1/index.ts') },
    ],
  },
  test: {
    include: ['{src,test,bench,examples,operators}/**/*.test.ts', 'scripts/**/*.test.mjs'],
    testTimeout: 30_000,
    // All cores: by default one is left free, which is half of two.
    maxWorkers: '100%',
    // One module graph for each worker: half of the time went into importing the same files 300 times. So a test leaves
    // nothing behind.
    isolate: false,
  },
})
