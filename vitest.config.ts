import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const source = (path: string): string => new URL(path, import.meta.url).pathname

/** What takes longest, longest first: started last, one of these would run alone at the end. */
const long = [
  'test/security/',
  'test/differential/stored',
  'test/kubectl/',
  'test/runtime/',
  'test/scenarios/',
  'test/invariants/',
  'operators/webapp/',
  'src/cli/',
  'src/plan/',
  'test/package/',
  'scripts/publish',
  'test/hostile/',
]

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = long.findIndex((part) => moduleId.startsWith(source(`./${part}`)))
      return at < 0 ? long.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

const tests: ViteUserConfig['test'] & { readonly include: string[] } = {
  include: ['{src,test,bench,examples,operators}/**/*.test.ts', 'scripts/**/*.test.mjs'],
  testTimeout: 30_000,
  reporters: ['./test/explore/coverage/reporter.ts', 'default'],
  // One more than there are cores: some files mostly wait for other processes.
  maxWorkers: '150%',
  // One module graph for each worker: half of the time went into importing the same files 300 times. So a test leaves
  // nothing behind.
  isolate: false,
  sequence: { sequencer: LongFirst },
}

/** By mode, so that plain `vitest` never runs what needs more than Node: `vitest run --mode cluster`. */
const modes: Readonly<Record<string, ViteUserConfig['test']>> = {
  /** `npm test`. */
  test: tests,
  /** `npm run -s security`: some of the tests above, and longer ones. It names the files. */
  security: {
    ...tests,
    include: [...tests.include, '{src,test,scripts}/**/*.security.{ts,mjs}'],
    testTimeout: 120_000,
  },
  /** `npm run test:long`: the tests above that check only a sample there. */
  long: {
    ...tests,
    include: [
      'test/{differential/stored-*,invariants/*,scenarios/outcomes-*,package/consumer}.test.ts',
      'operators/webapp/explore.test.ts',
    ],
    env: { COXSWAIN_TESTS: 'long' },
  },
  /** `npm run test:cluster`: tests that need the programs of a real cluster. */
  cluster: {
    include: ['{src,test,operators}/**/*.cluster.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
  },
  /** `npm run test:clients`: clients that we did not write, which it builds first. */
  clients: {
    include: ['test/clients/*.clients.ts'],
    reporters: ['default', './test/clients/reporter.ts'],
    testTimeout: 180_000,
    hookTimeout: 90_000,
    fileParallelism: false,
  },
}

export default defineConfig(({ mode }) => {
  const test = modes[mode]
  if (test === undefined) throw new Error(`--mode is one of ${Object.keys(modes).join(', ')}, not ${mode}`)
  return {
    // Examples import the package by its name, as users do.
    resolve: {
      alias: [
        { find: /^coxswain\/testing$/, replacement: source('./test/explore/coverage/counted.ts') },
        { find: /^coxswain$/, replacement: source('./src/index.ts') },
        { find: /^coxswain\/([a-z]+)$/, replacement: source('./src/$1/index.ts') },
      ],
    },
    test,
  }
})
