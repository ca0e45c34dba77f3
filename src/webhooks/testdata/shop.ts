/** A kind in two versions, with webhooks of every type. */
import { resource } from '../../schema/resource.ts'
import { t } from '../../schema/t.ts'
import { mutating, validating } from '../admission-webhook.ts'
import { converting } from '../conversion-webhook.ts'

export const ShopV1alpha1 = resource('example.dev/v1alpha1', 'Shop', {
  spec: t.object({ owner: t.string(), size: t.string().default('small') }),
})

export const Shop = resource('example.dev/v1', 'Shop', {
  spec: t.object({
    owner: t.object({ name: t.string() }),
    rooms: t.int().default(1),
    tags: t.array(t.string()).optional(),
  }),
  versions: [ShopV1alpha1],
})

export const conversion = converting(Shop).version(ShopV1alpha1, {
  up: ({ spec }) => ({ spec: { owner: { name: spec.owner }, rooms: spec.size === 'large' ? 10 : 1 } }),
  down: ({ spec, metadata }) => ({
    spec: { owner: spec.owner.name, size: spec.rooms >= 10 ? 'large' : 'small' },
    metadata: { annotations: { ...metadata.annotations, 'example.dev/rooms': String(spec.rooms) } },
  }),
})

export const check = validating(Shop, {
  create: ({ object, user, warn }) => {
    if (object.spec.owner.name === 'nobody') return `${user.username} may not open a shop of nobody`
    if (object.spec.rooms > 20) return [{ field: 'spec.rooms', message: 'a shop has at most 20 rooms' }]
    if (object.spec.owner.name === 'broken') throw new TypeError('the handler is broken')
    if (object.spec.rooms > 10) warn('that is a large shop')
    return undefined
  },
  update: ({ object, old }) => (object.spec.owner.name === old.spec.owner.name ? undefined : 'a shop keeps its owner'),
  delete: ({ old, name }) => (old.metadata.labels?.['keep'] === 'true' ? `${name} is to be kept` : undefined),
})

export const tag = mutating(Shop, {
  create: ({ object, user }) => {
    object.spec.tags = [...(object.spec.tags ?? []), `by ${user.username}`]
  },
})

export const webhooks = [check, tag, conversion]
