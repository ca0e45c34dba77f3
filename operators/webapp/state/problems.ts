/** What is wrong with an app, by the field of its spec that is to blame. */
import type { WebAppStatus } from '../schema/webapp.ts'
import type { Facts } from './facts.ts'
import type { Assessment } from './assessment.ts'

type Problem = NonNullable<WebAppStatus['problems']>[number]

export function problems({ app, config, rejection }: Facts, { rollout, issue, state }: Assessment): readonly Problem[] {
  const problem = (path: string, message: string, severity: Problem['severity'] = 'Error'): Problem => ({
    path,
    severity,
    message,
  })
  return [
    ...config.missing.map(({ path, message }) => problem(path, message)),
    ...(rejection === undefined ? [] : [problem(rejectionPath(rejection.kind, rejection.reason), rejection.message)]),
    ...(issue === undefined ? [] : [problem(issue.path, issue.message, state === 'Stalled' ? 'Error' : 'Warning')]),
    ...(rollout?.blocked === undefined ? [] : [problem('spec.replicas', rollout.blocked)]),
    ...(isPinned(app.spec.image)
      ? []
      : [problem('spec.image', 'has no fixed tag: pods may come to run different code', 'Warning')]),
  ]
}

const fieldOf: Readonly<Record<string, string>> = {
  Service: 'spec.service',
  Ingress: 'spec.ingress',
  HorizontalPodAutoscaler: 'spec.autoscaling',
  PodDisruptionBudget: 'spec.disruption',
}

/** An object with our name has another owner. */
function rejectionPath(kind: string, reason: string): string {
  return reason === 'NotOwned' ? 'metadata.name' : (fieldOf[kind] ?? 'spec')
}

/** A digest, or a tag that is meant to stay what it is. */
function isPinned(image: string): boolean {
  const last = image.slice(image.lastIndexOf('/') + 1)
  return last.includes('@') || (last.includes(':') && !last.endsWith(':latest'))
}
