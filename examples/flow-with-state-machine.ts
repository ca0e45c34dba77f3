/**
 * Shows a reconcile as a flow of steps with a state machine: a blue-green rollout. A new image starts in the idle
 * Deployment. When that is available, the Service switches to it and the old Deployment is deleted. The phase is in the
 * status, a transition that is not declared does not compile, and each run leaves a trace of its steps.
 *
 *     Pending ──► Preparing ──► Switching ──► Active
 *                  ▲   └──► Failed               │
 *                  └──────────┴── new spec ──────┘
 *
 * Run it: `npm run -s coxswain -- demo examples/flow-with-state-machine.ts`
 */
import {
  age,
  column,
  controller,
  Deployment,
  flow,
  operator,
  resource,
  Service,
  t,
  type Infer,
  type Live,
  type OperatorDemo,
  type ReconcileContext,
} from 'coxswain'
import { goto, machine, pipeline, step, wait, when } from 'coxswain/flow'

export const Rollout = resource('example.dev/v1', 'Rollout', {
  spec: t.object({ image: t.string().minLength(1), replicas: t.int().min(1).default(1) }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    phase: t.enum('Pending', 'Preparing', 'Switching', 'Active', 'Failed').optional(),
    active: t.enum('blue', 'green').optional(),
    image: t.string().optional(),
    conditions: t.conditions().optional(),
  }),
  columns: [
    column('Phase', '.status.phase'),
    column('Active', '.status.active'),
    column('Image', '.status.image'),
    age(),
  ],
})
export type Rollout = Infer<typeof Rollout>
type Context = ReconcileContext<Rollout>
type Color = 'blue' | 'green'

const idleColor = ({ status }: Context): Color => (status.current.active === 'blue' ? 'green' : 'blue')
const labelsOf = ({ object }: Context, color: Color) => ({ rollout: object.metadata.name, color })
const nameOf = ({ object }: Context, color: Color): string => `${object.metadata.name}-${color}`

async function applyDeployment(context: Context, color: Color): Promise<Live<Deployment>> {
  const { image, replicas } = context.object.spec
  const labels = labelsOf(context, color)
  const { object } = await context.apply(Deployment, {
    metadata: { name: nameOf(context, color), labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      progressDeadlineSeconds: 120,
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image }] } },
    },
  })
  return object
}

const prepare = step('prepare', async (context: Context) => {
  const { metadata, status } = await applyDeployment(context, idleColor(context))
  const { replicas } = context.object.spec
  if (status?.observedGeneration === metadata.generation) {
    if (status?.updatedReplicas === replicas && status.availableReplicas === replicas)
      return goto('Switching', `${metadata.name} is available`)
    if (status?.conditions?.some(({ reason }) => reason === 'ProgressDeadlineExceeded') === true)
      return goto('Failed', `${metadata.name} did not become available in time`)
  }
  // Events of the Deployment run this again. The time is for the case that none comes.
  return wait(600_000, `${metadata.name} is not available yet`)
})

const switchService = step('switch the Service', async (context: Context) => {
  const { object, apply, status } = context
  const active = idleColor(context)
  const spec = { selector: labelsOf(context, active), ports: [{ port: 80 }] }
  await apply(Service, { metadata: { name: object.metadata.name }, spec })
  // Written at the end of the run, together with the phase. A run that dies before does the same again.
  status.set({ active, image: object.spec.image })
  return goto('Active', `${nameOf(context, active)} serves ${object.spec.image}`)
})

const keep = step('keep', async (context: Context) => {
  await applyDeployment(context, context.status.current.active ?? 'blue')
  await context.delete(Deployment, nameOf(context, idleColor(context)))
})

const begin = step('begin', () => goto('Preparing', 'the spec is new'))
const isNewImage = ({ object, status }: Context): boolean => object.spec.image !== status.current.image
const isNewSpec = ({ object }: Context): boolean => object.status?.observedGeneration !== object.metadata.generation

export const lifecycle = machine({
  name: 'rollout',
  initial: 'Pending',
  phase: ({ status }: Context) => status.current.phase,
  onTransition: ({ status, event }: Context, { to, why }) => {
    status.set({ phase: to })
    status.condition({ type: 'Ready', status: to === 'Active', reason: to, message: why })
    event(to === 'Failed' ? 'Warning' : 'Normal', to, why)
  },
  phases: {
    Pending: { run: begin, to: ['Preparing'] },
    Preparing: { run: prepare, to: ['Switching', 'Failed'] },
    Switching: { run: switchService, to: ['Active'] },
    Active: { run: pipeline('active', when(isNewImage, begin), keep), to: ['Preparing'] },
    Failed: { run: when(isNewSpec, begin), to: ['Preparing'] },
  },
})

export const rollouts = controller(Rollout)
  .owns(Deployment, Service)
  .may('delete', Deployment)
  .reconcile(flow(lifecycle))

export default operator({ name: 'rollouts', controllers: [rollouts] })

export const demo: OperatorDemo = {
  samples: [
    { apiVersion: 'example.dev/v1', kind: 'Rollout', metadata: { name: 'shop' }, spec: { image: 'nginx:1.27' } },
  ],
  tries: [
    ['roll out', `kubectl patch rollout shop --type merge -p '{"spec":{"image":"nginx:1.28"}}'`],
    ['an image that does not start', `kubectl patch rollout shop --type merge -p '{"spec":{"image":"nginx:broken"}}'`],
    ['look', 'kubectl get rollouts,deployments && kubectl describe rollout shop'],
  ],
}
