/** Our server as a target of the suite: over HTTP, in process, or both. */
import type { Target } from '../conformance/target.ts'

/** Opens a fresh server with these optional versions. Its clock starts at `start`, in milliseconds since the epoch. */
export type Open = (start: number, runtimeConfig?: readonly string[]) => Promise<Target>

export function embeddedTargets(http: boolean, inProcess: boolean): Open[] {
  const targets: Open[] = []
  if (http) targets.push(async (...start) => (await import('../conformance/plane-target.ts')).planeOverHttp(...start))
  if (inProcess)
    targets.push(async (...start) => (await import('../conformance/plane-target.ts')).planeInProcess(...start))
  return targets
}
