/** What the operator may do, and when. */
import { t } from 'coxswain'

const fieldPath = "^[A-Za-z][A-Za-z0-9]*(\\.[A-Za-z][A-Za-z0-9]*|\\['[^']+'\\])*$"

export const childKinds = [
  'Deployment',
  'Service',
  'Ingress',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
] as const

export const drift = () =>
  t
    .object({
      mode: t
        .enum('Enforce', 'Warn', 'Off')
        .default('Enforce')
        .describe('Changes by others are repaired (Enforce), reported in a condition (Warn), or ignored (Off).'),
      ignore: t
        .array(
          t.object({
            kind: t.enum(...childKinds),
            fields: t
              .array(t.string().maxLength(253).pattern(fieldPath))
              .minItems(1)
              .maxItems(16)
              .set()
              .describe("As spec.replicas or metadata.annotations['example.dev/note']."),
          }),
        )
        .mapBy('kind')
        .maxItems(5)
        .optional()
        .describe('Fields that are left to others once they have a value.'),
    })
    .default({})
    .describe('What happens when somebody else changes what the operator made.')

export const onFailure = () =>
  t
    .enum('Hold', 'Rollback')
    .default('Hold')
    .describe('When a roll-out fails: leave it as it is, or run the last good revision until the spec changes.')

export const onFailureRetries = () =>
  t
    .int()
    .min(0)
    .max(100)
    .default(0)
    .describe(
      'How often a roll-out that failed is given another chance, each after a longer wait, before it is rolled back.',
    )

export const deletionPolicy = () =>
  t
    .enum('Delete', 'WaitForTermination', 'Orphan')
    .default('Delete')
    .describe(
      'Delete: what the operator made goes, in order. WaitForTermination: and the pods have ended. Orphan: ' +
        'all of it stays.',
    )
