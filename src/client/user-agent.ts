/** What clients call themselves. Servers show it in their logs and, without a field manager, in managedFields. */

/** The package's version; a test compares them. */
export const packageVersion = '0.1.0'

/** `coxswain/0.1.0 (linux/x64)`, and the suffix, which says which part of a program it is. */
export function userAgent(suffix?: string): string {
  const base = `coxswain/${packageVersion} (${process.platform}/${process.arch})`
  return suffix === undefined || suffix === '' ? base : `${base} ${suffix}`
}
