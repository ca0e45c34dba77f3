/**
 * Shows a mutating and a validating webhook, for what CEL rules cannot know: who writes, and what other objects say.
 * The mutating one records the creator of a Release. The validating one checks the image against the registries that
 * the namespace allows, and lets only the creator delete.
 *
 * Run it: `npm run -s coxswain -- demo examples/webhooks.ts`, or against your own cluster with
 * `npm run -s coxswain -- run examples/webhooks.ts --webhook-url local`
 */
import {
  age,
  column,
  ConfigMap,
  controller,
  isNotFound,
  operator,
  resource,
  t,
  type Client,
  type OperatorDemo,
} from 'coxswain'
import { mutating, validating, type FieldProblem } from 'coxswain/webhooks'

export const createdBy = 'example.dev/created-by'

export const Release = resource('example.dev/v1', 'Release', {
  spec: t.object({ image: t.string().minLength(1) }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    image: t.string().optional(),
    conditions: t.conditions().optional(),
  }),
  columns: [column('Image', '.status.image'), age()],
})

/** Changes `object`, which is a copy. The difference is sent to the API server as a patch. */
export const stamp = mutating(Release, {
  create: ({ object, user }) => {
    object.metadata.annotations = { ...object.metadata.annotations, [createdBy]: user.username }
  },
})

/** Runs after all mutating webhooks. A text is answered with 403, a list of fields with 422. */
export const check = validating(Release, {
  create: ({ object, namespace, client }) => checkImage(object.spec.image, namespace, client),
  update: ({ object, old, namespace, client, warn }) => {
    if (object.metadata.annotations?.[createdBy] !== old.metadata.annotations?.[createdBy])
      return [{ field: `metadata.annotations[${createdBy}]`, message: 'the creator cannot change' }]
    // An update that does not touch the image must stay possible when the list of registries changes.
    if (object.spec.image === old.spec.image) return undefined
    if (object.spec.image.endsWith(':latest')) warn('the tag latest does not name a version')
    return checkImage(object.spec.image, namespace, client)
  },
  delete: ({ old, user }) => {
    const creator = old.metadata.annotations?.[createdBy] ?? user.username
    return creator === user.username ? undefined : `only ${creator} may delete this Release`
  },
})

async function checkImage(image: string, namespace = '', client: Client): Promise<readonly FieldProblem[] | undefined> {
  const settings = await client.get(ConfigMap, { namespace, name: 'registries' }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  const allowed = settings?.data?.['allowed']?.split(',')
  if (allowed === undefined || allowed.some((registry) => image.startsWith(`${registry}/`))) return undefined
  return [{ field: 'spec.image', message: `the namespace ${namespace} allows only images of ${allowed.join(', ')}` }]
}

export const releases = controller(Release).reconcile(({ object, status }) => {
  status.set({ image: object.spec.image })
  status.condition({ type: 'Ready', status: true, reason: 'Released', message: object.spec.image })
})

export default operator({
  name: 'releases',
  controllers: [releases],
  webhooks: [stamp, check],
  // What the webhooks read, for the generated roles.
  access: [{ verbs: ['get'], kind: ConfigMap, names: ['registries'] }],
})

export const demo: OperatorDemo = {
  samples: [
    { apiVersion: 'example.dev/v1', kind: 'Release', metadata: { name: 'shop' }, spec: { image: 'quay.io/shop:1' } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'registries' }, data: { allowed: 'quay.io,ghcr.io' } },
  ],
  tries: [
    ['refused', `kubectl patch release shop --type merge -p '{"spec":{"image":"docker.io/shop:2"}}'`],
    ['a warning', `kubectl patch release shop --type merge -p '{"spec":{"image":"ghcr.io/shop:latest"}}'`],
    ['refused', `kubectl annotate release shop ${createdBy}=me`],
  ],
}
