/**
 * The official conformance tests that this project runs: those that pass on a real control plane with nodes that run no
 * containers. The others need running containers, or connect to the addresses of pods: they must never run, so tests
 * are only selected from this list.
 */
import { readFileSync } from 'node:fs'

export interface ConformanceTest {
  readonly name: string
  /** Such as `apps`. */
  readonly sig: string
  /** How long it took on the real control plane. */
  readonly seconds: number
  /** Runs alone: it uses whole nodes, or expects that nothing else happens in the cluster. */
  readonly isSerial: boolean
}

export const conformanceTests: readonly ConformanceTest[] = readFileSync(
  new URL('testdata/tests.tsv', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map(testOf)

function testOf(line: string): ConformanceTest {
  const [, seconds, name, sig] = line.match(/^([\d.]+)\t(\[sig-([a-z-]+)\] .+)$/) ?? []
  if (seconds === undefined || name === undefined || sig === undefined) throw new TypeError(`not a test: ${line}`)
  return { name, sig, seconds: Number(seconds), isSerial: name.includes('[Serial]') }
}

export const sigs: readonly string[] = [...new Set(conformanceTests.map(({ sig }) => sig))]

export interface Selection {
  readonly sig?: string | undefined
  /** A part of the name. */
  readonly only?: string | undefined
  readonly sample?: boolean
}

/** Tests of the sample take at most this long, each. */
const sampleSeconds = 10

export function select({ sig, only, sample = false }: Selection): readonly ConformanceTest[] {
  const chosen = sample ? sampleOf(conformanceTests) : conformanceTests
  return chosen.filter((test) => (sig === undefined || test.sig === sig) && test.name.includes(only ?? ''))
}

/** Every third short test of each sig. */
function sampleOf(tests: readonly ConformanceTest[]): readonly ConformanceTest[] {
  return sigs.flatMap((sig) => {
    return tests.filter((test) => test.sig === sig && test.seconds <= sampleSeconds).filter((_, i) => i % 3 === 0)
  })
}

/** When a test is ended: e2e.test has no limit for a single one. */
export function limitMs({ seconds }: ConformanceTest): number {
  return (30 + 3 * seconds) * 1_000
}
