/** What is wrong with an app, by the field of its spec that is to blame. */
import type { WebAppStatus } from '../schema/webapp.ts'
import type { Facts } from './facts.ts'
import type { Verdict } from './verdict.ts'

type Problem = NonNullable<WebAppStatus['problems']>[number]

export function problems({ app, config, refusal }: Facts, { rollout, trouble, state }: Verdict): readonly Problem[] {
  return [
    ...config.missing.map(({ path, message }): Problem => ({ path, severity: 'Error', message })),
    ...(refusal === undefined ? [] : [{ path: refusalPath(refusal.kind, refusal.reason), severity: 'Error', message: refusal.message } as const]),
    ...(trouble === undefined ? [] : [{ path: trouble.path, severity: state === 'Stalled' ? 'Error' : 'Warning', message: trouble.message } as const]),
    ...(rollout?.blocked === undefined ? [] : [{ path: 'spec.replicas', severity: 'Error', message: rollout.blocked } as const]),
    ...unpinnedImage(app.spec.image),
  ]
}

const fieldOf: Readonly<Record<string, string>> = {
  Deployment: 'spec', Service: 'spec.service', Ingress: 'spec.ingress', HorizontalPodAutoscaler: 'spec.autoscaling', PodDisruptionBudget: 'spec.disruption',
}

/** An object that is somebody else's has our name. */
function refusalPath(kind: string, reason: string): string {
  return reason === 'NotOwned' ? 'metadata.name' : (fieldOf[kind] ?? 'spec')
}

function unpinnedImage(image: string): Problem[] {
  const last = image.slice(image.lastIndexOf('/') + 1)
  if (last.includes('@') || (last.includes(':') && !last.endsWith(':latest'))) return []
  return [{ path: 'spec.image', severity: 'Warning', message: 'has no fixed tag: pods that start at different times may run different code' }]
}
