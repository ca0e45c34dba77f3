/** The example of docs/reference/flow.md. */
import { ConfigMap, controller, flow, resource, t, type ObjectOf, type ReconcileContext } from '../../index.ts'
import { goto, machine, pipeline, step, traced, wait, when } from '../index.ts'

export const Page = resource('example.dev/v1', 'Page', {
  spec: t.object({ text: t.string(), publishAt: t.time().optional() }),
  status: t.object({ observedGeneration: t.int64().optional(), phase: t.enum('Draft', 'Public').optional() }),
})
type Context = ReconcileContext<ObjectOf<typeof Page>>

async function applyText({ object, apply }: Context): Promise<void> {
  await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { text: object.spec.text } })
}

const isEarly = ({ object, now }: Context): boolean => Date.parse(object.spec.publishAt ?? '') > now()
const stay = step('stay', ({ object, now }: Context) =>
  wait(Date.parse(object.spec.publishAt ?? '') - now(), 'it is not time yet'),
)
const publish = step('publish', () => goto('Public', 'it is time'))
const withText = traced(({ object }: Context) => ({ text: object.spec.text }), applyText)

const lifecycle = machine({
  name: 'page',
  initial: 'Draft',
  phase: ({ status }: Context) => status.current.phase,
  onTransition: ({ status, event }: Context, { to, why }) => {
    status.set({ phase: to })
    event('Normal', to, why)
  },
  phases: {
    Draft: { run: pipeline('draft', when(isEarly, stay), publish), to: ['Public'] },
    Public: { run: withText, to: [] },
  },
})

export const pages = controller(Page).owns(ConfigMap).reconcile(flow(lifecycle))
