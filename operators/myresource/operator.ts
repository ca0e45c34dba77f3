/** A complete operator: a MyResource becomes a Deployment; its state is Building or Ready. */
import { age, column, controller, Deployment, operator, resource, t } from 'coxswain'

export const MyResource = resource('mygroup.example.com/v1alpha1', 'MyResource', {
  spec: t.object({ image: t.string().minLength(1), memory: t.quantity() }),
  status: t.object({ state: t.enum('Building', 'Ready').optional() }),
  columns: [column('State', '.status.state'), age()],
})

export const myResources = controller(MyResource)
  .owns(Deployment)
  .reconcile(async ({ object, apply, list, status }) => {
    const { name } = object.metadata
    const { image, memory } = object.spec
    const labels = { myresource: name }
    const container = { name: 'main', image, resources: { requests: { memory } } }
    const template = { metadata: { labels }, spec: { containers: [container] } }
    await apply(Deployment, {
      metadata: { name: `${name}-deployment`, labels },
      spec: { selector: { matchLabels: labels }, template },
    })
    const found = await list(Deployment, { labelSelector: `myresource=${name}` })
    if (found.length > 1)
      throw new Error(`${found.length} Deployments have the label myresource=${name}, and there should be 1`)
    status.set({ state: found[0]?.status?.readyReplicas === 1 ? 'Ready' : 'Building' })
  })

export default operator({ name: 'myresource', version: '0.1.0', controllers: [myResources] })
