/** The mutants that the explorer does not find, and what it would take. */

export interface Survivor {
  readonly id: string
  /** The fault, the step or the oracle that would find it; or why nothing can. */
  readonly needs: string
}

export const survivors: readonly Survivor[] = [
  { id: 'webapp/clean-up-reversed', needs: 'a property: no Deployment goes while the Ingress or the Service is there' },
  { id: 'webapp/clean-up-does-not-wait', needs: 'a step: somebody holds the Service with a finalizer, then delete' },
  { id: 'webapp/deletion-told-after-the-children', needs: 'a property: no child goes before the phase is Deleting' },
  {
    id: 'webapp/orphans-keep-their-owner',
    needs: 'a step: delete with deletionPolicy Orphan; a property: children stay',
  },
  { id: 'webapp/suspended-apps-are-not-cleaned-up', needs: 'a step: delete while suspended' },
  {
    id: 'webapp/deletes-children-by-name',
    needs: "a step: a foreign Ingress of the app's name; an oracle: stuck deletion",
  },
  {
    id: 'webapp/finds-children-by-name',
    needs: "a step: a foreign object of the app's name, or delete and create again",
  },
  { id: 'webapp/service-port-ignored', needs: 'operations on the spec: exploreSpec finds it, at spec.service.port' },
  { id: 'webapp/service-events-ignored', needs: 'a property: drift is repaired in less time than a check takes' },
  { id: 'webapp/config-event-of-the-wrong-app', needs: 'a property: a ConfigMap has an effect before the next check' },
  { id: 'webapp/conflicts-are-told', needs: 'a property: a conflict does not change Ready' },
  { id: 'webapp/retry-without-backoff', needs: 'an oracle: hot loop (today it does not come to an end)' },
  { id: 'runtime/backoff-not-reset', needs: 'two failures far apart, and a limit of the time to converge' },
  { id: 'runtime/finalizer-added-late', needs: 'a user who deletes the app during the first run' },
  { id: 'runtime/foreign-finalizers-removed', needs: 'a step with a second finalizer; an oracle: fields of others' },
  { id: 'runtime/finalizers-without-version', needs: 'a user who adds a finalizer during a run' },
  { id: 'runtime/status-without-version', needs: 'the late arrival of a request of a dead process' },
  { id: 'runtime/delete-without-uid', needs: 'a stale view, and a user who deletes and creates a child' },
  { id: 'runtime/owner-matched-by-name', needs: 'a step: delete and create again with the same name' },
  { id: 'runtime/create-adopts', needs: "a step: a foreign object of the app's name without the label" },
  { id: 'runtime/relist-keeps-deleted-objects', needs: 'a watch fault: 410 while an object is deleted' },
  { id: 'runtime/version-only-from-bookmarks', needs: 'a watch fault: a cut connection' },
  { id: 'runtime/expired-watch-resumed', needs: 'a watch fault: 410' },
  { id: 'runtime/watch-resumed-without-version', needs: 'a watch fault: a cut connection while an object is deleted' },
  { id: 'runtime/watch-errors-ignored', needs: 'a watch fault: 410 as an event' },
  { id: 'runtime/retry-after-ignored', needs: 'a fault: 429 with Retry-After; an oracle: it is respected' },
  {
    id: 'runtime/timers-of-runs-not-ended',
    needs: 'an oracle: no run is reported as stuck, timers return to a baseline',
  },
  { id: 'webapp/hand-over-under-own-manager', needs: 'an oracle: the expected conditions at the end of a step' },
  { id: 'runtime/removed-fields-not-noticed', needs: 'operations on the spec: exploreSpec finds it, in a rollback' },
]
