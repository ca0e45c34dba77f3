/** The examples of `docs/reference/webhooks.md`, compiled. */
import { controller } from '../../controller/builder.ts'
import { operator } from '../../operator/operator.ts'
import { resource } from '../../schema/resource.ts'
import { t } from '../../schema/t.ts'
import { mutating, validating } from '../admission-webhook.ts'
import { converting } from '../conversion-webhook.ts'

export const WebAppV1alpha1 = resource('example.dev/v1alpha1', 'WebApp', { spec: t.object({ picture: t.string() }) })
export const WebApp = resource('example.dev/v1', 'WebApp', {
  spec: t.object({ image: t.string(), port: t.int() }),
  versions: [WebAppV1alpha1],
})
const webApps = controller(WebApp).reconcile(() => undefined)

const check = validating(WebApp, {
  create: ({ object }) => (object.spec.image.endsWith(':latest') ? 'give the image a version' : undefined),
  update: ({ object, old }) =>
    object.spec.port === old.spec.port ? undefined : [{ field: 'spec.port', message: 'a port is for good' }],
  delete: ({ old, user, warn }) => {
    if (old.metadata.labels?.['tier'] === 'gold') warn(`${user.username} deletes gold`)
  },
})

const stamp = mutating(WebApp, {
  create: ({ object, user }) => {
    object.metadata.annotations = { ...object.metadata.annotations, 'example.dev/by': user.username }
  },
})

const versions = converting(WebApp).version(WebAppV1alpha1, {
  up: ({ spec }) => ({ spec: { image: spec.picture, port: 80 } }),
  down: ({ spec }) => ({ spec: { picture: spec.image } }),
})

export default operator({ name: 'webapp', controllers: [webApps], webhooks: [check, stamp, versions] })
