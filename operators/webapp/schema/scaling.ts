/** How many pods there are, and how they are replaced. */
import { t } from 'coxswain'

const policy = () =>
  t.object({
    type: t.enum('Pods', 'Percent'),
    value: t.int().min(1),
    periodSeconds: t.int().min(1).max(1800),
  })

const scalingRules = () =>
  t.object({
    stabilizationWindowSeconds: t.int().min(0).max(3600).optional(),
    selectPolicy: t.enum('Max', 'Min', 'Disabled').optional(),
    policies: t.array(policy()).maxItems(8).atomic().optional(),
  })

export const autoscaling = () =>
  t
    .object({
      min: t.int().min(1).default(1),
      max: t.int().min(1),
      cpu: t.int().min(1).max(1000).optional().describe('Percent of the requested CPU that pods shall use on average.'),
      memory: t.int().min(1).max(1000).optional().describe('Percent of the requested memory.'),
      behavior: t
        .object({ scaleUp: scalingRules().optional(), scaleDown: scalingRules().optional() })
        .optional()
        .describe('How fast, as HorizontalPodAutoscalers have it.'),
    })
    .rule('self.min <= self.max', { message: 'min is more than max', fieldPath: '.min' })
    .rule('has(self.cpu) || has(self.memory)', { message: 'give cpu, memory or both: there is nothing to scale by' })
    .optional()
    .describe('A HorizontalPodAutoscaler that decides on the number of pods, in place of replicas.')

export const strategy = () =>
  t
    .object({
      type: t.enum('RollingUpdate', 'Recreate').default('RollingUpdate'),
      maxSurge: t.intOrString().optional(),
      maxUnavailable: t.intOrString().optional(),
      minReadySeconds: t.int().min(0).max(3600).default(0),
    })
    .rule('self.type == "RollingUpdate" || !(has(self.maxSurge) || has(self.maxUnavailable))', {
      message: 'maxSurge and maxUnavailable are for RollingUpdate',
    })
    .default({})
    .describe('How pods are replaced.')

export const disruption = () =>
  t
    .object({
      enabled: t.boolean().default(true),
      minAvailable: t.intOrString().default('50%'),
    })
    .default({})
    .describe('A PodDisruptionBudget, where there is more than one pod.')
