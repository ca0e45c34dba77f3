/**
 * Builds the clients, one language after the other. A build that is not possible on this machine is reported in one
 * line and is no failure.
 */
import { toStderr } from '../cluster/progress.ts'
import { ensureBuild, Unavailable } from './build.ts'
import { build, buildNames } from './builds.ts'

for (const name of buildNames) {
  try {
    await ensureBuild(build(name))
  } catch (error) {
    const plain = error instanceof Error ? error.message : String(error)
    toStderr(error instanceof Unavailable ? `the ${name} clients are skipped: ${plain}` : plain)
    if (!(error instanceof Unavailable)) process.exitCode = 1
  }
}
