/** What the doctor reports: findings, what it could not read, and the commands that help. */

export interface Finding {
  /** For programs: stays the same between versions. */
  readonly type: FindingType
  /** One plain sentence. */
  readonly summary: string
  /** What was read that shows it. */
  readonly evidence: readonly string[]
  /** A command that helps, to be copied. */
  readonly command: string
}

export const findingTypes = [
  'unreachable',
  'credentials-refused',
  'crd-missing',
  'crd-not-established',
  'crd-differs',
  'permission-missing',
  'not-deployed',
  'being-deleted',
  'controller-not-running',
  'not-observed',
  'denied',
  'child-not-ready',
  'condition',
  'warning',
  'owner-gone',
  'drift',
  'lease',
  'clock-skew',
  'webhook',
] as const

export type FindingType = (typeof findingTypes)[number]

/** Something that could not be read, so that findings may be missing. */
export interface Unread {
  /** `deployments.apps in all namespaces`. */
  readonly what: string
  readonly why: string
}

/** The version of {@link DoctorReport} as JSON. */
export const doctorVersion = 'coxswain.dev/doctor/v1'

export interface DoctorReport {
  readonly version: typeof doctorVersion
  /** What was examined: `Guestbook default/one`. */
  readonly subject: string
  /** The most likely cause first. */
  readonly findings: readonly Finding[]
  readonly unread: readonly Unread[]
}
