/** The errors of building or starting a reference cluster. Each message is for users and says what to do. */

export class ClusterError extends Error {
  override readonly name: string = 'ClusterError'
}

/** There is no `go` command, or it is too old. Cluster tests are then skipped. */
export class GoMissing extends ClusterError {
  override readonly name = 'GoMissing'
}

/** The Go modules are not on this machine and cannot be downloaded. Cluster tests are then skipped. */
export class ModulesUnavailable extends ClusterError {
  override readonly name = 'ModulesUnavailable'
}

/** The Go compiler failed; the message ends with its output. */
export class BuildFailed extends ClusterError {
  override readonly name = 'BuildFailed'
}

/** A program of the cluster exited or was not ready in time; the message ends with its last log lines. */
export class StartFailed extends ClusterError {
  override readonly name = 'StartFailed'
}

/** Whether a cluster cannot be built on this machine, for reasons outside of the tested code. */
export function isUnavailable(error: unknown): error is GoMissing | ModulesUnavailable {
  return error instanceof GoMissing || error instanceof ModulesUnavailable
}
