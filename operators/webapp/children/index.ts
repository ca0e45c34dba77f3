/** All that an app wants there to be, in the order in which it is made. */
import {
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  PodDisruptionBudget,
  Service,
  type ApiObject,
  type Kind,
} from 'coxswain'
import type { Partially } from 'coxswain/client'
import { autoscaler } from './autoscaler.ts'
import { deployment, type DeploymentInput } from './deployment.ts'
import { disruptionBudget } from './disruption-budget.ts'
import { ingress } from './ingress.ts'
import { service } from './service.ts'

export interface Child {
  readonly kind: Kind
  /** Undefined: the app should not have this child. */
  readonly wanted: Partially<ApiObject> | undefined
}

/** The kinds of children, in the order in which they are made. They go the other way round. */
export const childrenInOrder: readonly Kind[] = [
  Deployment,
  PodDisruptionBudget,
  HorizontalPodAutoscaler,
  Service,
  Ingress,
] as never

export function children(input: DeploymentInput): readonly Child[] {
  const { app } = input
  const wanted = [deployment(input), disruptionBudget(app), autoscaler(app), service(app), ingress(app)]
  return childrenInOrder.map((kind, index) => ({ kind, wanted: wanted[index] }))
}
