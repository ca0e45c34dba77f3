/** What keeps a reference cluster from being built or started. Each message is for people, and says what to do. */

export class ClusterError extends Error {
  override readonly name: string = 'ClusterError'
}

/** No `go` command, or one that is too old. Where that is so, cluster tests are skipped. */
export class GoMissing extends ClusterError {
  override readonly name = 'GoMissing'
}

/** The Go modules are not on this machine and cannot be downloaded. Where that is so, cluster tests are skipped. */
export class ModulesUnavailable extends ClusterError {
  override readonly name = 'ModulesUnavailable'
}

/** The Go compiler failed; the message ends with what it said. */
export class BuildFailed extends ClusterError {
  override readonly name = 'BuildFailed'
}

/** A program of the cluster ended or did not become ready in time; the message ends with its last log lines. */
export class StartFailed extends ClusterError {
  override readonly name = 'StartFailed'
}

/** True where a machine lacks what a cluster is built from, which is no fault of the code under test. */
export function isUnavailable(error: unknown): error is GoMissing | ModulesUnavailable {
  return error instanceof GoMissing || error instanceof ModulesUnavailable
}
