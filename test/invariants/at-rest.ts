/** The rules for a settled cluster: everything is as declared, and nothing is left of deleted objects. */
import { controllerOf, type LiveObject } from '../../src/index.ts'
import { controlledBy, isActive, type ClusterState, type LiveDeployment, type LiveSet } from './cluster-state.ts'
import { daemonSetProblems } from './daemon-sets.ts'

export function problemsAtRest(state: ClusterState): string[] {
  const { deployments, sets, pods } = state
  return [
    ...deployments.flatMap((deployment) => deploymentProblems(state, deployment)),
    ...sets.flatMap((set) => setProblems(state, set)),
    ...pods
      .filter((pod) => isActive(pod) && (pod.spec?.nodeName ?? '') === '')
      .map(({ metadata }) => `pod ${metadata.name} is on no node`),
    ...[...deployments, ...sets, ...pods]
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata }) => `${metadata.name} is half deleted`),
    ...orphans(sets, deployments),
    ...orphans(pods, sets),
    ...daemonSetProblems(state),
  ]
}

function deploymentProblems(state: ClusterState, deployment: LiveDeployment): string[] {
  const { metadata, spec, status } = deployment
  const wanted = spec?.replicas ?? 1
  const {
    observedGeneration,
    replicas = 0,
    updatedReplicas = 0,
    readyReplicas = 0,
    availableReplicas = 0,
    unavailableReplicas = 0,
  } = status ?? {}
  const told = { observedGeneration, replicas, updatedReplicas, readyReplicas, availableReplicas, unavailableReplicas }
  const should = {
    observedGeneration: metadata.generation,
    replicas: wanted,
    updatedReplicas: wanted,
    readyReplicas: wanted,
    availableReplicas: wanted,
    unavailableReplicas: 0,
  }
  const condition = (type: string): string => `${status?.conditions?.find((each) => each.type === type)?.status}`
  const image = spec?.template?.spec?.containers[0]?.image
  const pods = state.podsOf(...state.setsOf(deployment)).filter(isActive)
  return [
    ...different(metadata.name, told, should),
    ...different(
      metadata.name,
      { available: condition('Available'), progressing: condition('Progressing') },
      { available: 'True', progressing: 'True' },
    ),
    ...different(
      metadata.name,
      { pods: pods.map((pod) => pod.spec?.containers[0]?.image) },
      { pods: Array.from({ length: wanted }, () => image) },
    ),
  ]
}

function setProblems(state: ClusterState, { metadata, spec, status, ...rest }: LiveSet): string[] {
  const wanted = spec?.replicas ?? 1
  const active = controlledBy({ metadata, ...rest }, state.pods).filter(isActive).length
  const told = { observedGeneration: status?.observedGeneration, replicas: status?.replicas ?? 0, active }
  return different(metadata.name, told, { observedGeneration: metadata.generation, replicas: wanted, active: wanted })
}

/** Objects whose owner is gone. Objects without an owner were orphaned on request. */
function orphans(objects: readonly LiveObject[], owners: readonly LiveObject[]): string[] {
  const uids = new Set(owners.map(({ metadata }) => metadata.uid))
  const kinds = new Set(['Deployment', 'ReplicaSet'])
  return objects
    .filter((object) => kinds.has(controllerOf(object)?.kind ?? '') && !uids.has(controllerOf(object)?.uid ?? ''))
    .map((object) => `${object.metadata.name} is left of ${controllerOf(object)?.name}, which is gone`)
}

function different(name: string, told: object, should: object): string[] {
  const [is, ought] = [JSON.stringify(told), JSON.stringify(should)]
  return is === ought ? [] : [`${name} is ${is} and should be ${ought}`]
}
