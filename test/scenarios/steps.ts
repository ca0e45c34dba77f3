/** Functions to write the steps of scenarios, in addition to the requests of the differential suite. */
import type { Json, JsonObject } from '../../src/api/json.ts'
import { clusterResource, resource } from '../differential/steps.ts'
import type { Act, Each, Look, Rest, Until } from './scenario.ts'

export const deployments = resource('deployments', 'apps/v1')
export const replicaSets = resource('replicasets', 'apps/v1')
export const daemonSets = resource('daemonsets', 'apps/v1')
export const revisions = resource('controllerrevisions', 'apps/v1')
export const jobs = resource('jobs', 'batch/v1')
export const cronJobs = resource('cronjobs', 'batch/v1')
export const pods = resource('pods')
export const events = resource('events')
export const services = resource('services')
export const endpointSlices = resource('endpointslices', 'discovery.k8s.io/v1')
export const endpoints = resource('endpoints')
export const configMaps = resource('configmaps')
export const quotas = resource('resourcequotas')
export const budgets = resource('poddisruptionbudgets', 'policy/v1')
export const accounts = resource('serviceaccounts')
export const namespaces = clusterResource('namespaces')
export const nodes = clusterResource('nodes')

export const rest: Rest = { rest: true }
export const look = (name: string): Look => ({ look: name })

/**
 * The value at a path such as `status.conditions[Available].status`; brackets contain the `type` or `name` of a list
 * item.
 */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
  let found = value
  for (const [, key, item] of path.matchAll(/([^.[\]]+)|\[([^\]]+)\]/g)) {
    if (typeof found !== 'object' || found === null) return undefined
    found =
      item !== undefined
        ? (Array.isArray(found) ? found : []).find(
            (each) => (each as JsonObject)['type'] === item || (each as JsonObject)['name'] === item,
          )
        : (found as JsonObject)[key ?? '']
  }
  return found
}

/** `until(deployments.get('web').path, { 'status.readyReplicas': 3 })`; undefined: the field must be absent. */
export function until(path: string, fields: Readonly<Record<string, Json | undefined>>): Until {
  return {
    until: path,
    says: JSON.stringify(fields),
    holds: (found) =>
      found !== null &&
      Object.entries(fields).every(
        ([field, wanted]) => JSON.stringify(valueAt(found, field)) === JSON.stringify(wanted),
      ),
  }
}

export const gone = (path: string): Until => ({ until: path, says: 'gone', holds: (found) => found === null })
export const exists = (path: string): Until => ({ until: path, says: 'there', holds: (found) => found !== null })

/** Waits until the list at `path` has this many (matching) items. */
export function count(path: string, wanted: number, fields: Readonly<Record<string, Json | undefined>> = {}): Until {
  const matches = until('', fields).holds
  return {
    until: path,
    says: `${wanted} of ${JSON.stringify(fields)}`,
    holds: (found) => ((found?.['items'] ?? []) as JsonObject[]).filter(matches).length === wanted,
  }
}

export function each(
  path: string,
  acts: (name: string, object: JsonObject, index: number) => readonly Act[],
  most?: number,
): Each {
  return {
    each: path,
    acts: (object, index) => acts(String(valueAt(object, 'metadata.name')), object, index),
    ...(most === undefined ? {} : { most }),
  }
}

/** Waits until the controller has observed the Deployment, and all pods have the newest template and are available. */
export const rolledOut = (name: string): Until => ({
  until: deployments.get(name).path,
  says: 'rolled out',
  holds: (found) => {
    const wanted = valueAt(found, 'spec.replicas')
    const has = (field: string): boolean => (valueAt(found, `status.${field}`) ?? 0) === wanted
    return isObserved(found) && has('replicas') && has('updatedReplicas') && has('availableReplicas')
  },
})

/** Waits until the controller has observed the newest generation. */
export const observed = (path: string): Until => ({ until: path, says: 'observed', holds: isObserved })

function isObserved(found: JsonObject | null): boolean {
  return found !== null && valueAt(found, 'status.observedGeneration') === valueAt(found, 'metadata.generation')
}

/** Sets the status of a pod on the node `by-hand`, which only the scenario writes: running, and ready or not. */
export function podIs(name: string, ready: boolean, ip?: string): Act {
  const condition = (type: string, is: boolean): JsonObject => ({
    type,
    status: is ? 'True' : 'False',
    lastTransitionTime: '{{now}}',
  })
  return pods.sub('status').strategic(name, {
    status: {
      phase: 'Running',
      conditions: [condition('Ready', ready), condition('ContainersReady', ready)],
      ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] }),
    },
  })
}

/** Ends a pod on the node `by-hand`: its container `c` exits. */
export function podExits(name: string, exitCode: number): Act {
  const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt: '{{now}}' }
  const status = { name: 'c', image: 'i:1', imageID: '', ready: false, restartCount: 0, state: { terminated } }
  return pods.sub('status').strategic(name, {
    status: { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [status] },
  })
}

/** Removes a terminating pod, as the kubelet of its node would. */
export const podEnds = (name: string): Act => pods.delete(name, 'gracePeriodSeconds=0')
