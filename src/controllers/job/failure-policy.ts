/** The pod failure policy: which rule a failed pod matches, and what the Job says if the rule fails it. */
import type { batchV1, Live, Pod } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'

type Policy = DeepReadonly<batchV1.PodFailurePolicy>
type ExitCodes = DeepReadonly<batchV1.PodFailurePolicyOnExitCodesRequirement>

export interface FailureRule {
  readonly action: batchV1.PodFailurePolicyRule['action']
  /** For the condition of the Job, if the action is FailJob. */
  readonly message: string
}

/** The first rule that matches. Undefined: the failure counts towards the backoff limit. */
export function failureRule(policy: Policy | undefined, pod: Live<Pod>): FailureRule | undefined {
  const { namespace, name } = pod.metadata
  for (const [index, { action, onExitCodes, onPodConditions }] of (policy?.rules ?? []).entries()) {
    const rule = `matching ${action} rule at index ${index}`
    if (onExitCodes !== undefined) {
      const container = containerWithCode(pod, onExitCodes)
      if (container === undefined) continue
      const code = container.state?.terminated?.exitCode
      return {
        action,
        message: `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${code} ${rule}`,
      }
    }
    const condition = pod.status?.conditions?.find(({ type, status }) =>
      onPodConditions?.some((pattern) => pattern.type === type && (pattern.status ?? 'True') === status),
    )
    if (condition !== undefined)
      return { action, message: `Pod ${namespace}/${name} has condition ${condition.type} ${rule}` }
  }
  return undefined
}

function containerWithCode({ status }: Live<Pod>, { containerName, operator, values }: ExitCodes) {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(({ name, state }) => {
    const code = state?.terminated?.exitCode ?? 0
    if (code === 0 || (containerName !== undefined && containerName !== name)) return false
    return values.includes(code) === (operator === 'In')
  })
}
