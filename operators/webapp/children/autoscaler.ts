/** The HorizontalPodAutoscaler of an app: there when the spec asks for one. */
import type { HorizontalPodAutoscaler, Live } from 'coxswain'
import type { Partially } from 'coxswain/client'
import type { WebApp } from '../schema/webapp.ts'
import { childMetadata } from './identity.ts'

export function autoscaler(app: Live<WebApp>): Partially<HorizontalPodAutoscaler> | undefined {
  const desired = app.spec.autoscaling
  if (desired === undefined) return undefined
  const { min, max, cpu, memory, behavior } = desired
  const targets = [
    ['cpu', cpu],
    ['memory', memory],
  ] as const
  return {
    metadata: childMetadata(app),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: app.metadata.name },
      minReplicas: min,
      maxReplicas: max,
      metrics: targets
        .filter(([, percent]) => percent !== undefined)
        .map(([name, averageUtilization]) => ({
          type: 'Resource',
          resource: { name, target: { type: 'Utilization', averageUtilization } },
        })),
      ...(behavior === undefined ? {} : { behavior }),
    },
  }
}
