/** Whether a container that ended starts again: by its own rules and policy, otherwise by the policy of the pod. */
import type { coreV1 } from '../index.ts'

export type RestartPolicy = Pick<coreV1.Container, 'restartPolicy' | 'restartPolicyRules'>

export function isSidecar({ restartPolicy }: RestartPolicy): boolean {
  return restartPolicy === 'Always'
}

export function restartsAfter(
  { restartPolicy, restartPolicyRules = [] }: RestartPolicy,
  podPolicy: string,
  exitCode: number,
): boolean {
  if (restartPolicy !== undefined && restartPolicyRules.some((rule) => restartsBy(rule, exitCode))) return true
  const policy = restartPolicy ?? podPolicy
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

/** The first rule that matches decides, and its action can only be Restart. */
function restartsBy({ action, exitCodes }: coreV1.ContainerRestartRule, exitCode: number): boolean {
  if (action !== 'Restart' || exitCodes === undefined) return false
  return (exitCodes.values ?? []).includes(exitCode) === (exitCodes.operator === 'In')
}
