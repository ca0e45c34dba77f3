/** The whole status of an app from the facts of a run. Pure; what differs from before is what is written. */
import { timestamp } from 'coxswain/env'
import type { DeepReadonly } from 'coxswain/api'
import { selectorText } from '../children/identity.ts'
import type { WebAppStatus } from '../schema/webapp.ts'
import { addresses, childStates } from './children.ts'
import { conditionList, conditionsOf } from './conditions.ts'
import type { Facts } from './facts.ts'
import { withHistory } from './failure.ts'
import { phaseOf } from './phase.ts'
import { problems } from './problems.ts'
import type { Assessment } from './assessment.ts'

type Status = DeepReadonly<WebAppStatus>

/** `before`: as this run has it by now, with what it remembers of failures. */
export function statusOf(facts: Facts, found: Assessment, before: Status, now: number): Status {
  const { metadata } = facts.app
  const { url: _url, endpoints: _endpoints, ...kept } = before
  const status = withoutUndefined({
    ...kept,
    ...counts(facts, found),
    ...revisions(facts, found, before, now),
    ...addresses(facts),
    observedGeneration: metadata.generation ?? 0,
    message: found.message,
    selector: selectorText(metadata.name),
    resolvedImage: resolvedImage(facts),
    children: childStates(facts, found),
    problems: unlessEmpty(problems(facts, found)),
    conditions: conditionList(before.conditions ?? [], conditionsOf(facts, found), metadata.generation, timestamp(now)),
  })
  return { ...status, phase: phaseOf({ metadata, status }) }
}

function counts({ app }: Facts, { rollout }: Assessment): object {
  return {
    desiredReplicas: rollout?.wanted ?? app.spec.replicas,
    replicas: rollout?.total,
    updatedReplicas: rollout?.updated,
    readyReplicas: rollout?.ready,
    availableReplicas: rollout?.available,
  }
}

/** What was not applied does not run, whatever the spec says. A good revision clears the record of failures. */
function revisions(
  { app, config, target, isApplied }: Facts,
  { state }: Assessment,
  before: Status,
  now: number,
): object {
  const applied = isApplied
    ? { currentRevision: target.digest, image: target.spec.image }
    : { image: before.image ?? app.spec.image }
  const configChecksum = isApplied && config.missing.length === 0 ? config.checksum : before.configChecksum
  if (state !== 'Ready' && state !== 'Drifted') return { ...applied, configChecksum }
  const entry = { digest: target.digest, image: target.spec.image, at: timestamp(now) }
  const { lastGoodRevision } = before
  return {
    ...applied,
    configChecksum,
    failedRevision: undefined,
    nextRetryTime: undefined,
    lastGoodRevision:
      lastGoodRevision?.digest === target.digest ? lastGoodRevision : { ...entry, template: target.template },
    history: withHistory(before.history ?? [], { ...entry, outcome: 'Good' }),
  }
}

/** From a ready pod with the image of the target. */
function resolvedImage({ pods, target }: Facts): string | undefined {
  const containers = pods.flatMap(({ status }) => status?.containerStatuses ?? [])
  return containers.find(({ ready, image, imageID }) => ready && image === target.spec.image && imageID !== '')?.imageID
}

function unlessEmpty<List extends readonly unknown[]>(list: List): List | undefined {
  return list.length === 0 ? undefined : list
}

function withoutUndefined(status: object): Status {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined))
}
