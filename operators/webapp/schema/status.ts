/**
 * What the operator says of an app. It has one writer, and so one owner: to track who owns each of its fields takes the
 * server about a sixth of the time of every write (docs/internals/adr/0013-webapp.md).
 */
import { t } from 'coxswain'

export const phases = ['Pending', 'Creating', 'Running', 'Failed', 'Deleting'] as const

const revision = () =>
  t.object({
    digest: t.string(),
    image: t.string().optional(),
    at: t.time(),
  })

export const status = t
  .object({
    observedGeneration: t.int64().optional().describe('The generation of the spec that all of this is about.'),
    phase: t
      .enum(...phases)
      .optional()
      .describe('For people. Programs look at the conditions.'),
    message: t.string().optional(),
    replicas: t.int().optional().describe('Pods that there are.'),
    desiredReplicas: t.int().optional(),
    updatedReplicas: t.int().optional(),
    readyReplicas: t.int().optional(),
    availableReplicas: t.int().optional(),
    selector: t.string().optional().describe('Of the pods, for the scale subresource.'),
    url: t.string().optional(),
    endpoints: t
      .array(t.object({ scope: t.enum('Cluster', 'External'), url: t.string() }))
      .atomic()
      .optional(),
    image: t.string().optional().describe('What runs, or shall run: not that of the spec after a roll-back.'),
    resolvedImage: t.string().optional().describe('The image as the nodes have it.'),
    currentRevision: t.string().optional().describe('Digest of what shapes the pods, as it was applied.'),
    lastGoodRevision: revision()
      .extend({ template: t.string() })
      .optional()
      .describe('The last one that rolled out, with the fields of the spec that made it, as JSON.'),
    failedRevision: revision()
      .extend({
        reason: t.string(),
        message: t.string().optional(),
        attempts: t.int(),
      })
      .optional()
      .describe('The one that did not, and how often it was tried.'),
    nextRetryTime: t.time().optional(),
    configChecksum: t.string().optional().describe('Over the ConfigMaps and Secrets that the app refers to.'),
    children: t
      .array(
        t.object({
          apiVersion: t.string(),
          kind: t.string(),
          name: t.string(),
          state: t.enum('Ready', 'Progressing', 'Failed', 'Missing', 'NotOwned'),
          lastApplied: t.time().optional().describe('When the operator last changed it.'),
          drift: t.string().optional(),
        }),
      )
      .mapBy('kind', 'name')
      .optional(),
    history: t
      .array(revision().extend({ outcome: t.enum('Good', 'Failed', 'RolledBack') }))
      .maxItems(5)
      .atomic()
      .optional(),
    problems: t
      .array(
        t.object({
          path: t.string(),
          severity: t.enum('Error', 'Warning'),
          message: t.string(),
        }),
      )
      .maxItems(32)
      .atomic()
      .optional()
      .describe('What is wrong, by the field of the spec that is to blame.'),
    lastHandledReconcileAt: t.string().optional().describe('Answers the annotation coxswain.dev/reconcile-at.'),
    lastReconcileTime: t.time().optional().describe('When the operator last had something to say.'),
    conditions: t.conditions().optional(),
  })
  .atomic()
  .default({ observedGeneration: -1, phase: 'Pending' })
