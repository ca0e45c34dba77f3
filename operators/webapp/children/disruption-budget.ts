/** The PodDisruptionBudget of an app: one of a single pod would only keep nodes from being drained. */
import type { Live, PodDisruptionBudget } from 'coxswain'
import type { Partially } from 'coxswain/client'
import type { WebApp } from '../schema/webapp.ts'
import { childMetadata, selectorLabels } from './identity.ts'

export function disruptionBudget(app: Live<WebApp>): Partially<PodDisruptionBudget> | undefined {
  const { disruption, autoscaling, replicas } = app.spec
  if (!disruption.enabled || (autoscaling?.min ?? replicas) < 2) return undefined
  return {
    metadata: childMetadata(app),
    spec: { minAvailable: disruption.minAvailable, selector: { matchLabels: selectorLabels(app.metadata.name) } },
  }
}
