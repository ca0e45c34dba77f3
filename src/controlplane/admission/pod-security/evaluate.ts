/** Selects the checks of a level and version, and runs them on a pod. */
import { baselineChecks } from './baseline.ts'
import type { PodSecurityCheck, CheckedPod, PodCheck, Violation } from './check.ts'
import { levelVersionText, type LevelVersion } from './policy.ts'
import { restrictedChecks } from './restricted.ts'

/** Later versions have the same checks. */
const lastVersion = Math.max(
  ...[...baselineChecks, ...restrictedChecks].flatMap(({ versions }) => versions.map(([minor]) => minor)),
)

const byLevel = new Map<string, readonly PodCheck[]>()

/** Baseline checks come first; each level is in the order of the ids. */
function checksOf(wanted: LevelVersion): readonly PodCheck[] {
  const at: LevelVersion = { level: wanted.level, version: Math.min(wanted.version, lastVersion) }
  const key = levelVersionText(at)
  let checks = byLevel.get(key)
  if (checks === undefined) {
    checks = select(at)
    byLevel.set(key, checks)
  }
  return checks
}

function select({ level, version }: LevelVersion): PodCheck[] {
  if (level === 'privileged') return []
  const asOf = (check: PodSecurityCheck) => check.versions.findLast(([minor]) => minor <= version)?.[1]
  const stricter = level === 'restricted' ? restrictedChecks.filter((check) => asOf(check) !== undefined) : []
  const overridden = new Set(stricter.map(({ overrides }) => overrides))
  const chosen = [...baselineChecks.filter(({ id }) => !overridden.has(id)), ...stricter]
  return chosen.map(asOf).filter((check) => check !== undefined)
}

export function violations(policy: LevelVersion, pod: CheckedPod): readonly Violation[] {
  return checksOf(policy)
    .map((check) => check(pod))
    .filter((violation) => violation !== undefined)
}

/** `host namespaces (hostPID=true), privileged (…)`. */
export function violationsText(found: readonly Violation[]): string {
  return found.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ')
}
