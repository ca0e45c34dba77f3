/** The user agent of clients. Servers show it in their logs and, without a field manager, in managedFields. */

/** The package's version; a test compares them. */
export const packageVersion = '0.1.0'

/** `coxswain/0.1.0 (linux/x64)`, with the suffix, which names the part of the program. */
export function userAgent(suffix?: string): string {
  const base = `coxswain/${packageVersion} (${process.platform}/${process.arch})`
  return suffix === undefined || suffix === '' ? base : `${base} ${suffix}`
}
