/** A port that cannot be opened. */

/** The message names the setting to change, if there is one. */
export class ListenError extends Error {
  constructor(address: string, setting: string | undefined, cause: NodeJS.ErrnoException) {
    super(`cannot listen on ${address}: ${reasonOf(cause, setting)}`, { cause })
    this.name = 'ListenError'
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException, setting: string | undefined): string {
  const change =
    setting === undefined ? '' : `; choose another one with --${setting}, such as 127.0.0.1:0 for any free port`
  if (code === 'EADDRINUSE') return `the port is in use${change}`
  return `${message}${code === 'EACCES' || code === 'EADDRNOTAVAIL' ? change : ''}`
}
