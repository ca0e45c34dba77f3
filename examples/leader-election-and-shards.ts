/**
 * Shows how several copies of an operator share the work. With leader election one copy works, and the others are warm
 * standbys. With shards, too, all copies work, each on its part of the keys. The code of the controller is the same.
 *
 * Run it in several terminals, each with a POD_NAME of its own, and stop one of them:
 *
 *     npm run -s coxswain -- server --port 6443 --kubeconfig /tmp/kubeconfig
 *     npm run -s coxswain -- manifests examples/leader-election-and-shards.ts | kubectl apply -f - --kubeconfig
 *     /tmp/kubeconfig POD_NAME=a npm run -s coxswain -- run examples/leader-election-and-shards.ts --kubeconfig
 *     /tmp/kubeconfig \
 *       --metrics-bind-address 0 --health-probe-bind-address 0
 */
import { age, column, controller, operator, resource, t, type ControllerDefinition, type Infer } from 'coxswain'
import { generationChanged } from 'coxswain/controller'

export const Ticket = resource('example.dev/v1', 'Ticket', {
  spec: t.object({ text: t.string() }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    handledBy: t.string().optional(),
    conditions: t.conditions().optional(),
  }),
  columns: [column('Handled by', '.status.handledBy'), age()],
})
export type Ticket = Infer<typeof Ticket>

/** `copy` is the name of this copy of the program, in a cluster the name of its pod. */
export function tickets(copy: string): ControllerDefinition<Ticket> {
  return controller(Ticket)
    .when(generationChanged)
    .options({ concurrency: 4 })
    .reconcile(({ object, status }) => {
      // A copy that takes over reconciles all its keys. Work that is done is not done again: the status tells.
      if (status.current.observedGeneration === object.metadata.generation) return
      status.set({ handledBy: copy })
      status.condition({ type: 'Ready', status: true, reason: 'Handled', message: `generation handled by ${copy}` })
    })
}

export default operator({
  name: 'tickets',
  controllers: [tickets(process.env['POD_NAME'] ?? 'local')],
  // Flags win over these. All copies need the same number of shards; take more shards than copies.
  defaults: { 'leader-elect': 'true', shards: '8' },
})
