/** How the children of an app are, each in a word, and where the app can be reached through them. */
import type { ApiObject, Live } from 'coxswain'
import type { DeepReadonly } from 'coxswain/api'
import { disruptionBudget } from '../children/disruption-budget.ts'
import { fieldManager } from '../children/identity.ts'
import { servicePort } from '../children/service.ts'
import type { WebAppStatus } from '../schema/webapp.ts'
import { driftText, type Facts } from './facts.ts'
import type { Assessment } from './assessment.ts'

type ChildState = NonNullable<WebAppStatus['children']>[number]

/** Undefined before anything was tried. */
export function childStates(facts: Facts, found: Assessment): readonly ChildState[] | undefined {
  const { app, deployment, service, ingress, autoscaler, budget } = facts
  if (deployment === undefined && facts.rejection === undefined) return undefined
  const { autoscaling, ingress: route } = app.spec
  return [
    childState(facts, 'apps/v1', 'Deployment', deployment, rolloutState(found)),
    childState(facts, 'v1', 'Service', service),
    ...(route === undefined ? [] : [childState(facts, 'networking.k8s.io/v1', 'Ingress', ingress)]),
    ...(autoscaling === undefined ? [] : [childState(facts, 'autoscaling/v2', 'HorizontalPodAutoscaler', autoscaler)]),
    ...(disruptionBudget(app) === undefined ? [] : [childState(facts, 'policy/v1', 'PodDisruptionBudget', budget)]),
  ]
}

function rolloutState({ state, rollout }: Assessment): ChildState['state'] {
  if (rollout?.isComplete === true) return 'Ready'
  return state === 'Stalled' && rollout?.isStuck === true ? 'Failed' : 'Progressing'
}

function childState(
  { app, drift, rejection }: Facts,
  apiVersion: string,
  kind: string,
  child: Live<ApiObject> | undefined,
  is: ChildState['state'] = 'Ready',
): ChildState {
  const changed = drift.find((each) => each.kind === kind)
  const refused = rejection?.kind !== kind ? undefined : rejection.reason === 'NotOwned' ? 'NotOwned' : 'Failed'
  const applied = child === undefined ? undefined : lastApplied(child)
  return {
    apiVersion,
    kind,
    name: app.metadata.name,
    state: refused ?? (child === undefined ? 'Missing' : is),
    ...(applied === undefined ? {} : { lastApplied: applied }),
    ...(changed === undefined ? {} : { drift: driftText(changed) }),
  }
}

/** As the server has noted it: an apply that changed nothing does not count. */
function lastApplied({ metadata }: Live<ApiObject>): string | undefined {
  return metadata.managedFields?.find(({ manager, operation }) => manager === fieldManager && operation === 'Apply')
    ?.time
}

/** From outside by the Ingress, else by a load balancer; from inside by the Service. */
export function addresses({
  app,
  service,
  ingress,
  deployment,
}: Facts): Pick<DeepReadonly<WebAppStatus>, 'url' | 'endpoints'> {
  if (deployment === undefined) return {}
  const { name, namespace = 'default' } = app.metadata
  const port = servicePort(app) === 80 ? '' : `:${servicePort(app)}`
  const inside = `http://${name}.${namespace}.svc${port}`
  const balancer = service?.status?.loadBalancer?.ingress?.[0]
  const balanced = balancer === undefined ? undefined : `http://${balancer.hostname ?? balancer.ip ?? ''}${port}`
  const outside = ingress === undefined ? balanced : routeUrl(app.spec.ingress)
  const endpoints = [{ scope: 'Cluster', url: inside } as const]
  if (outside === undefined) return { url: inside, endpoints }
  return { url: outside, endpoints: [{ scope: 'External', url: outside }, ...endpoints] }
}

function routeUrl(route: Facts['app']['spec']['ingress']): string | undefined {
  if (route === undefined) return undefined
  const { host, path, tlsSecret } = route
  return `${tlsSecret === undefined ? 'http' : 'https'}://${host}${path === '/' ? '' : path}`
}
