/**
 * Whether the tests run in their long form. Some check a sample in `npm test`, which has four minutes, and everything
 * in `npm run test:long`, which `.ci/run` runs: see the mode `long` in vitest.config.ts.
 */
export const isLong = process.env['COXSWAIN_TESTS'] === 'long'
