/**
 * Shows how CI reviews a change before anybody applies it. `plan()` copies the state of a cluster, or starts empty, and
 * runs the operator's own code there until nothing changes. `review()` turns the plan into a verdict by the rules of a
 * team. Nothing is written to the cluster.
 *
 * Run it in CI with the command line, which ends with code 3 if the operator would change anything:
 *
 *     npm run -s coxswain -- plan examples/plan-in-ci.ts site.yaml --kubeconfig FILE --exit-code
 *     npm run -s coxswain -- plan examples/plan-in-ci.ts site.yaml --offline --output json
 */
import { controller, Deployment, Ingress, operator, resource, Service, t } from 'coxswain'
import { plan, type Manifest, type Plan, type PlanOptions } from 'coxswain/plan'

export const Site = resource('example.dev/v1', 'Site', {
  spec: t.object({
    image: t.string().minLength(1),
    replicas: t.int().min(0).default(1),
    host: t.string().optional(),
  }),
  status: t.object({ observedGeneration: t.int64().optional(), conditions: t.conditions().optional() }),
})

export const sites = controller(Site)
  .owns(Deployment, Service, Ingress)
  .may('delete', Ingress)
  .reconcile(async ({ object, apply, delete: remove, status }) => {
    const { name } = object.metadata
    const { image, replicas, host } = object.spec
    const labels = { site: name }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'site', image }] } }
    const { object: deployment } = await apply(Deployment, {
      metadata: { name, labels },
      spec: { replicas, selector: { matchLabels: labels }, template },
    })
    await apply(Service, { metadata: { name, labels }, spec: { selector: labels, ports: [{ port: 80 }] } })
    if (host === undefined) await remove(Ingress, name)
    else
      await apply(Ingress, {
        metadata: { name, labels },
        spec: { defaultBackend: { service: { name, port: { number: 80 } } }, tls: [{ hosts: [host] }] },
      })
    const available = deployment.status?.availableReplicas ?? 0
    status.condition({
      type: 'Ready',
      status: available >= replicas,
      reason: available >= replicas ? 'Available' : 'Progressing',
      message: `${available} of ${replicas} replicas are available`,
    })
  })

const sitesOperator = operator({ name: 'sites', controllers: [sites] })
export default sitesOperator

export interface Review {
  readonly plan: Plan
  /** Why the change is refused; empty when it is not. */
  readonly objections: readonly string[]
}

/** The rules of this team: nothing is deleted, nothing is scaled to zero, and everything is Ready in the end. */
export async function review(change: readonly Manifest[], options: Pick<PlanOptions, 'from' | 'now'>): Promise<Review> {
  const made = await plan({ operator: sitesOperator, apply: change, ...options })
  const changes = [...made.pending.changes, ...made.work.changes, ...made.collected]
  const objections = [
    ...changes
      .filter(({ action }) => action === 'delete')
      .map(({ kind, name }) => `the ${kind} ${name} would be deleted`),
    ...changes
      .filter(({ fields }) => fields.some(({ path, after }) => path === 'spec.replicas' && after === 0))
      .map(({ kind, name }) => `the ${kind} ${name} would be scaled to zero`),
    ...made.outcomes.filter(({ status }) => !isReady(status)).map(({ kind, name }) => `${kind} ${name} is not Ready`),
    ...made.warnings,
  ]
  return { plan: made, objections }
}

function isReady(status: Plan['outcomes'][number]['status']): boolean {
  const conditions = (status?.['conditions'] ?? []) as unknown as readonly { type: string; status: string }[]
  return conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True')
}
