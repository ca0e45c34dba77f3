/**
 * Which items the results of vitest prove. An item is met if every one of its proofs has a test that passed and none
 * that failed. A proof that matches no test, or only skipped ones, proves nothing.
 */

/** Tests that prove an item, or a part of it. */
export interface Proof {
  /** A test file, from the root of the project. */
  readonly file: string
  /** The tests of that file, by their full names. Default: all. */
  readonly name?: RegExp | undefined
}

export interface Item {
  /** `9`, or the name of a requirement. */
  readonly id: string
  readonly title: string
  readonly proofs: readonly Proof[]
  /** Further proofs, which take minutes: only with `--long`. */
  readonly long?: readonly Proof[] | undefined
  /** Where the item is met in another way than its words say, and why. */
  readonly note?: string | undefined
  /** Why the item does not apply yet. Proofs of the parts that exist run nevertheless. */
  readonly absent?: string | undefined
  /** A known gap: why the item is not met, whatever its proofs say. */
  readonly gap?: string | undefined
}

/** Of one test. */
export interface TestResult {
  /** From the root of the project. */
  readonly file: string
  /** The names of its suites and its own, separated by blanks. */
  readonly name: string
  readonly state: 'passed' | 'failed' | 'skipped'
}

export interface Verdict {
  readonly item: Item
  readonly state: 'met' | 'not met' | 'does not apply'
  /** Why, unless it is met. */
  readonly reasons: readonly string[]
  readonly passedCount: number
  /** Whether a test failed or is missing; a known gap is none. */
  readonly isBroken: boolean
}

export function proofsOf(item: Item, isLong: boolean): readonly Proof[] {
  return isLong ? [...item.proofs, ...(item.long ?? [])] : item.proofs
}

export function verdictOf(item: Item, results: readonly TestResult[], isLong: boolean): Verdict {
  const problems: string[] = []
  const passed = new Set<TestResult>()
  for (const proof of proofsOf(item, isLong)) {
    const tests = results.filter((test) => proves(test, proof))
    const failed = tests.filter(({ state }) => state === 'failed')
    const fine = tests.filter(({ state }) => state === 'passed')
    for (const test of fine) passed.add(test)
    const text = proof.name === undefined ? proof.file : `${proof.file} ${String(proof.name)}`
    if (tests.length === 0) problems.push(`no test matches ${text}`)
    else if (failed.length > 0) problems.push(...failed.map(({ file, name }) => `failed: ${file}: ${name}`))
    else if (fine.length === 0) problems.push(`all tests of ${text} were skipped`)
  }
  if (item.proofs.length === 0 && item.absent === undefined) problems.push('it has no tests')
  const isBroken = problems.length > 0
  const reasons = [item.absent, item.gap].filter((reason) => reason !== undefined)
  const isMet = !isBroken && reasons.length === 0
  return {
    item,
    state: isMet ? 'met' : !isBroken && item.absent !== undefined ? 'does not apply' : 'not met',
    reasons: [...reasons, ...problems],
    passedCount: passed.size,
    isBroken,
  }
}

function proves(test: TestResult, { file, name }: Proof): boolean {
  return test.file === file && (name === undefined || name.test(test.name))
}

/** `31 of 34 met, 3 do not apply yet (29, 30: no web UI; 32: no image)` */
export function summary(verdicts: readonly Verdict[]): string {
  const met = verdicts.filter(({ state }) => state === 'met')
  const parts = [`${met.length} of ${verdicts.length} met`]
  const absent = verdicts.filter(({ state }) => state === 'does not apply')
  if (absent.length > 0) {
    const verb = absent.length === 1 ? 'does' : 'do'
    parts.push(`${absent.length} ${verb} not apply yet (${byReason(absent)})`)
  }
  const open = verdicts.filter(({ state }) => state === 'not met')
  if (open.length > 0) parts.push(`${open.length} not met (${open.map(({ item }) => item.id).join(', ')})`)
  return parts.join(', ')
}

function byReason(verdicts: readonly Verdict[]): string {
  const ids = new Map<string, string[]>()
  for (const { item, reasons } of verdicts) {
    const reason = reasons.join(', ')
    ids.set(reason, [...(ids.get(reason) ?? []), item.id])
  }
  return [...ids].map(([reason, same]) => `${same.join(', ')}: ${reason}`).join('; ')
}
