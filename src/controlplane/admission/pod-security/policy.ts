/** The Pod Security policy of a namespace, read from its labels: level and version for each of the three modes. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import { entry } from '../../resources/shared/values.ts'

export type Level = 'privileged' | 'baseline' | 'restricted'

/** From the least strict to the strictest. */
export const levels: readonly Level[] = ['privileged', 'baseline', 'restricted']

export interface LevelVersion {
  readonly level: Level
  /** The minor version; Infinity is `latest`. */
  readonly version: number
}

export interface Policy {
  /** Violating pods are rejected. */
  readonly enforce: LevelVersion
  /** Violations are annotations in the audit log. */
  readonly audit: LevelVersion
  /** Violating pods and workloads cause a warning. */
  readonly warn: LevelVersion
  readonly errors: readonly FieldError[]
}

const prefix = 'pod-security.kubernetes.io/'
const open: LevelVersion = { level: 'privileged', version: Infinity }
const openPolicy: Policy = { enforce: open, audit: open, warn: open, errors: [] }
const versionPattern = /^v1\.([0-9]|[1-9][0-9]*)$/

export function policyOf(labels: Readonly<Record<string, string>> | undefined): Policy {
  for (const label in labels) if (label.startsWith(prefix)) return readPolicy(labels)
  return openPolicy
}

/** An invalid level counts as restricted for `enforce`, and as privileged for the other modes. */
function readPolicy(labels: Readonly<Record<string, string>>): Policy {
  const errors: FieldError[] = []
  const enforce = readMode(labels, 'enforce', 'restricted', errors)
  const audit = readMode(labels, 'audit', 'privileged', errors)
  const warn = readMode(labels, 'warn', 'privileged', errors)
  return {
    enforce: { level: enforce.level ?? 'privileged', version: enforce.version ?? Infinity },
    audit: { level: audit.level ?? 'privileged', version: audit.version ?? Infinity },
    warn: warnLevel(warn, enforce),
    errors,
  }
}

/** A namespace that enforces a level without setting `warn` also warns at that level. */
function warnLevel(warn: Mode, enforce: Mode): LevelVersion {
  if (warn.level !== undefined || enforce.level === undefined || enforce.isBad || enforce.level === 'privileged') {
    return { level: warn.level ?? 'privileged', version: warn.version ?? Infinity }
  }
  return { level: enforce.level, version: warn.version ?? enforce.version ?? Infinity }
}

interface Mode {
  readonly level: Level | undefined
  readonly version: number | undefined
  readonly isBad: boolean
}

function readMode(labels: Readonly<Record<string, string>>, mode: string, whenBad: Level, errors: FieldError[]): Mode {
  const level = entry(labels, prefix + mode)
  const isBad = level !== undefined && !(levels as readonly string[]).includes(level)
  if (isBad) {
    errors.push(fieldError.invalid(`metadata.labels[${prefix}${mode}]`, level, `must be one of ${levels.join(', ')}`))
  }
  const key = `${prefix}${mode}-version`
  const text = entry(labels, key)
  return {
    level: isBad ? whenBad : (level as Level | undefined),
    version: text === undefined ? undefined : readVersion(text, `metadata.labels[${key}]`, errors),
    isBad,
  }
}

function readVersion(text: string, field: string, errors: FieldError[]): number {
  if (text === 'latest') return Infinity
  const minor = Number(versionPattern.exec(text)?.[1] ?? Infinity)
  if (Number.isFinite(minor) && minor <= 2 ** 63) return minor
  errors.push(fieldError.invalid(field, text, 'must be "latest" or "v1.x"'))
  return Infinity
}

export function levelVersionText({ level, version }: LevelVersion): string {
  return `${level}:${version === Infinity ? 'latest' : `v1.${version}`}`
}

export function equalLevels(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.version === b.version
}
