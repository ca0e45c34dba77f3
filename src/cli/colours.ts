/** Whether to print colours: on terminals that have them, unless the environment says otherwise. */

type Environment = Readonly<Record<string, string | undefined>>

/** What of a stream matters: pipes and files have neither. */
interface Output {
  readonly isTTY?: boolean | undefined
  hasColors?(): boolean
}

/** `FORCE_COLOR` counts more than `NO_COLOR`, as in Node; `FORCE_COLOR=0` means none. */
export function printsColours(env: Environment, output: Output): boolean {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if ((env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb') return false
  return output.isTTY === true && output.hasColors?.() === true
}
