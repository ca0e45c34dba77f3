/**
 * Shows how a controller owns objects: it creates them, repairs drift, deletes those that are no longer in the spec,
 * and refuses objects that it does not control, unless the spec says to adopt them.
 *
 * Run it: `npm run -s coxswain -- demo examples/own-and-adopt.ts`
 */
import { age, column, ConfigMap, controller, NotOwnedError, operator, resource, t, type OperatorDemo } from 'coxswain'

export const Bundle = resource('example.dev/v1', 'Bundle', {
  spec: t.object({
    files: t.map(t.map(t.string())).describe('The data of each ConfigMap, by the name of the ConfigMap.'),
    adopt: t.boolean().default(false).describe('Adopt ConfigMaps of these names that have no controller.'),
  }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    files: t.int().optional(),
    conditions: t.conditions().optional(),
  }),
  columns: [column('Files', '.status.files'), column('Ready', '.status.conditions[?(@.type=="Ready")].reason'), age()],
})

export const bundles = controller(Bundle)
  .cached({ indexes: { file: ({ spec }) => Object.keys(spec.files) } })
  // An event of a ConfigMap runs the controller for the Bundle that controls it.
  .owns(ConfigMap)
  // A ConfigMap that stands in the way has no such reference: the index finds the Bundles that wait for its name.
  .watches(ConfigMap, {
    map: ({ metadata: { namespace, name } }, { lister }) =>
      lister(Bundle)
        .byIndex('file', name, namespace)
        .map(({ metadata }) => ({ namespace, name: metadata.name })),
  })
  .may('delete', ConfigMap)
  .reconcile(async ({ object, apply, owned, delete: remove, status, event }) => {
    const { files, adopt } = object.spec
    try {
      for (const [name, data] of Object.entries(files)) await apply(ConfigMap, { metadata: { name }, data }, { adopt })
    } catch (error) {
      if (error instanceof NotOwnedError)
        status.condition({ type: 'Ready', status: false, reason: 'NotOwned', message: error.message })
      throw error
    }
    for (const { metadata } of await owned(ConfigMap)) {
      // Deletes by uid, so an object that was created again under this name by somebody else is safe.
      if (!(metadata.name in files) && (await remove(ConfigMap, metadata.name)))
        event('Normal', 'Pruned', `deleted ConfigMap ${metadata.name}`)
    }
    status.set({ files: Object.keys(files).length })
    status.condition({ type: 'Ready', status: true, reason: 'Applied', message: 'all ConfigMaps are applied' })
  })

export default operator({ name: 'bundles', controllers: [bundles] })

export const demo: OperatorDemo = {
  samples: [
    {
      apiVersion: 'example.dev/v1',
      kind: 'Bundle',
      metadata: { name: 'site' },
      spec: { files: { page: { title: 'Hello' } } },
    },
  ],
  tries: [
    ['drift: it is repaired', `kubectl patch configmap page --type merge -p '{"data":{"title":"Bye"}}'`],
    ['a ConfigMap of somebody else', 'kubectl create configmap style --from-literal=color=red'],
    ['is refused', `kubectl patch bundle site --type merge -p '{"spec":{"files":{"style":{"color":"blue"}}}}'`],
    ['until it may be adopted', `kubectl patch bundle site --type merge -p '{"spec":{"adopt":true}}'`],
    ['look', 'kubectl get bundles,configmaps && kubectl describe bundle site'],
  ],
}
