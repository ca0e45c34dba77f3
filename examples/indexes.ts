/**
 * Shows indexes of the cache. Routes claim a host name; of several Routes with the same host, in any namespace, the
 * oldest one gets it. An index finds the claimants of a host without a scan of all Routes, both to decide and to
 * reconcile the others when a claim comes, goes or changes.
 *
 * Run it: `npm run -s coxswain -- demo examples/indexes.ts`
 */
import {
  age,
  column,
  controller,
  keyOf,
  keyText,
  operator,
  resource,
  t,
  type Infer,
  type Live,
  type OperatorDemo,
} from 'coxswain'

export const Route = resource('example.dev/v1', 'Route', {
  spec: t.object({
    host: t.string().minLength(1).maxLength(253),
    aliases: t.array(t.string()).maxItems(10).set().default([]),
  }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    hosts: t.array(t.string()).optional(),
    conditions: t.conditions().optional(),
  }),
  columns: [column('Hosts', '.status.hosts'), column('Ready', '.status.conditions[?(@.type=="Ready")].reason'), age()],
})
export type Route = Infer<typeof Route>

/** An object may be found under several values. Take only what is in the object itself: others may change unseen. */
const hostsOf = ({ spec }: Live<Route>): string[] => [...new Set([spec.host, ...spec.aliases])]

export const routes = controller(Route)
  .cached({ indexes: { host: hostsOf } })
  // Asked for the old and the new object: a Route that gives up a host wakes those that wait for it.
  .watches(Route, {
    map: (route, { lister }) => hostsOf(route).flatMap((host) => lister(Route).byIndex('host', host).map(keyOf)),
  })
  .reconcile(async ({ object, list, status }) => {
    const won: string[] = []
    const lost: string[] = []
    for (const host of hostsOf(object)) {
      // Namespace '': of all namespaces.
      const claimants = await list(Route, { namespace: '', index: { index: 'host', value: host } })
      const winner = claimants.filter(isStaying).sort(byAge)[0] ?? object
      if (winner.metadata.uid === object.metadata.uid) won.push(host)
      else lost.push(`${host} belongs to ${keyText(keyOf(winner))}`)
    }
    status.set({ hosts: won })
    status.condition(
      lost.length === 0
        ? { type: 'Ready', status: true, reason: 'Claimed', message: 'the Route has all its hosts' }
        : { type: 'Ready', status: false, reason: 'HostTaken', message: lost.join(', ') },
    )
  })

const isStaying = ({ metadata }: Live<Route>): boolean => metadata.deletionTimestamp === undefined

/** The uid decides between Routes of the same second, so that all runs come to the same decision. */
function byAge({ metadata: a }: Live<Route>, { metadata: b }: Live<Route>): number {
  return (a.creationTimestamp ?? '').localeCompare(b.creationTimestamp ?? '') || a.uid.localeCompare(b.uid)
}

export default operator({ name: 'routes', controllers: [routes] })

const sample = (name: string, host: string) => ({
  apiVersion: 'example.dev/v1',
  kind: 'Route',
  metadata: { name },
  spec: { host },
})

export const demo: OperatorDemo = {
  samples: [sample('first', 'a.example')],
  tries: [
    ['another claim', `kubectl create -f - <<< '${JSON.stringify(sample('second', 'a.example'))}'`],
    ['look', 'kubectl get routes'],
    ['the second gets the host', 'kubectl delete route first && kubectl get routes'],
  ],
}
