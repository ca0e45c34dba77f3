/** The Deployment of an app. */
import type { DeepReadonly } from 'coxswain/api'
import type { Deployment, Live } from 'coxswain'
import type { Partially } from 'coxswain/client'
import type { WebApp, WebAppSpec } from '../schema/webapp.ts'
import { childMetadata, selectorLabels } from './identity.ts'
import { podTemplate } from './pod-template.ts'

export interface DeploymentInput {
  readonly app: Live<WebApp>
  /** What should run: the spec of the app, or of the revision that it was rolled back to. */
  readonly spec: DeepReadonly<WebAppSpec>
  readonly checksum?: string | undefined
}

export function deployment({ app, spec, checksum }: DeploymentInput): Partially<Deployment> {
  const { name } = app.metadata
  const { autoscaling, replicas, strategy, progressDeadlineSeconds, revisionHistoryLimit } = app.spec
  return {
    metadata: childMetadata(app),
    spec: {
      // Under an autoscaler the number is not ours, and a field that is not sent is left alone.
      ...(autoscaling === undefined ? { replicas } : {}),
      selector: { matchLabels: selectorLabels(name) },
      template: podTemplate({ name, spec, checksum }),
      strategy: rollout(strategy),
      minReadySeconds: strategy.minReadySeconds,
      progressDeadlineSeconds,
      revisionHistoryLimit,
    },
  }
}

/** Always whole: what is left out would keep what was there before. */
function rollout({ type, maxSurge = '25%', maxUnavailable = '25%' }: DeepReadonly<WebAppSpec>['strategy']) {
  return type === 'Recreate' ? { type } : { type, rollingUpdate: { maxSurge, maxUnavailable } }
}
