/** The whole status of an app from the facts of a run. Pure; what differs from before is what is written. */
import { timestamp, type DeepReadonly } from 'coxswain'
import { selectorText } from '../children/identity.ts'
import { servicePort } from '../children/service.ts'
import type { WebAppStatus } from '../schema/webapp.ts'
import { conditionList, conditionsOf } from './conditions.ts'
import { driftText, type Facts } from './facts.ts'
import { withHistory } from './failure.ts'
import { phaseOf } from './phase.ts'
import { problems } from './problems.ts'
import type { Verdict } from './verdict.ts'

type Status = DeepReadonly<WebAppStatus>

/** `before`: as this run has it by now, with what it remembers of failures. */
export function statusOf(facts: Facts, found: Verdict, before: Status, now: number): Status {
  const { app, config, target, deployment } = facts
  const { generation } = app.metadata
  const { rollout, state } = found
  const isGood = state === 'Ready' || state === 'Drifted'
  const entry = { digest: target.digest, image: target.spec.image, at: timestamp(now) }
  const good = isGood && before.lastGoodRevision?.digest !== target.digest ? { ...entry, template: target.template as never } : before.lastGoodRevision
  const next: Status = {
    ...before,
    observedGeneration: generation ?? 0,
    message: found.message,
    replicas: rollout?.total, desiredReplicas: rollout?.wanted ?? app.spec.replicas,
    updatedReplicas: rollout?.updated, readyReplicas: rollout?.ready, availableReplicas: rollout?.available,
    selector: selectorText(app.metadata.name),
    image: target.spec.image,
    resolvedImage: resolvedImage(facts),
    currentRevision: deployment === undefined ? before.currentRevision : target.digest,
    configChecksum: config.missing.length === 0 ? config.checksum : before.configChecksum,
    lastGoodRevision: good,
    ...(isGood ? { failedRevision: undefined, nextRetryTime: undefined, history: withHistory(before.history ?? [], { ...entry, outcome: 'Good' }) } : {}),
    children: childStates(facts, found),
    problems: unlessEmpty(problems(facts, found)),
    ...addresses(facts),
    conditions: conditionList(before.conditions ?? [], conditionsOf(facts, found), generation, timestamp(now)),
  } as Status
  const status = withoutUndefined(next)
  return { ...status, phase: phaseOf({ metadata: app.metadata, status }) }
}

/** From a pod that runs what shall run. */
function resolvedImage({ pods, target }: Facts): string | undefined {
  const containers = pods.flatMap(({ status }) => status?.containerStatuses ?? [])
  const id = containers.find(({ ready, image, imageID }) => ready && image === target.spec.image && imageID !== '')?.imageID
  return id === '' ? undefined : id
}

function addresses({ app, service, ingress, deployment }: Facts): Pick<Status, 'url' | 'endpoints'> {
  if (deployment === undefined) return { url: undefined, endpoints: undefined } as never
  const { name, namespace = 'default' } = app.metadata
  const suffix = servicePort(app) === 80 ? '' : `:${servicePort(app)}`
  const inside = `http://${name}.${namespace}.svc${suffix}`
  const balancer = service?.status?.loadBalancer?.ingress?.[0]
  const balanced = balancer === undefined ? undefined : `http://${balancer.hostname ?? balancer.ip ?? ''}${suffix}`
  const wish = app.spec.ingress
  const routed = wish === undefined || ingress === undefined ? undefined : `http${wish.tlsSecret === undefined ? '' : 's'}://${wish.host}${wish.path === '/' ? '' : wish.path}`
  const outside = routed ?? balanced
  return {
    url: outside ?? inside,
    endpoints: [...(outside === undefined ? [] : [{ scope: 'External', url: outside } as const]), { scope: 'Cluster', url: inside }],
  }
}

type ChildState = NonNullable<Status['children']>[number]

function childStates({ app, deployment, service, ingress, drift, refusal }: Facts, { state, rollout }: Verdict): ChildState[] | undefined {
  const { name } = app.metadata
  const of = (kind: string, apiVersion: string, found: boolean, settled: ChildState['state']): ChildState => {
    const changed = drift.find((each) => each.kind === kind)
    const isRefused = refusal?.kind === kind
    return {
      apiVersion, kind, name, state: isRefused ? (refusal.reason === 'NotOwned' ? 'NotOwned' : 'Failed') : found ? settled : 'Missing',
      ...(changed === undefined ? {} : { drift: driftText(changed) }),
    }
  }
  if (deployment === undefined && refusal === undefined) return undefined
  const rolled = state === 'Stalled' && rollout?.isStuck === true ? 'Failed' : rollout?.isComplete === true ? 'Ready' : 'Progressing'
  return [
    of('Deployment', 'apps/v1', deployment !== undefined, rolled),
    of('Service', 'v1', service !== undefined, 'Ready'),
    ...(app.spec.ingress === undefined ? [] : [of('Ingress', 'networking.k8s.io/v1', ingress !== undefined, 'Ready')]),
  ]
}

function unlessEmpty<List extends readonly unknown[]>(list: List): List | undefined {
  return list.length === 0 ? undefined : list
}

function withoutUndefined(status: Status): Status {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined)) as Status
}
