/**
 * Shows a kind in two versions with a conversion between them. Users of v1alpha1 and of v1 read and write the same
 * objects. v1 is the hub: it is stored, and the controller knows only v1. An annotation keeps what v1alpha1 has no
 * field for, so that nobody loses data by reading, changing and writing an object in the old version.
 *
 * Run it: `npm run -s coxswain -- demo examples/conversion.ts`, or against your own cluster with
 * `npm run -s coxswain -- run examples/conversion.ts --webhook-url local`
 */
import { age, column, controller, operator, resource, t, type OperatorDemo } from 'coxswain'
import { converting } from 'coxswain/webhooks'

const status = t.object({
  observedGeneration: t.int64().optional(),
  url: t.string().optional(),
  conditions: t.conditions().optional(),
})

/** The old version: one text for the address, no TLS. */
export const BackendV1alpha1 = resource('example.dev/v1alpha1', 'Backend', {
  spec: t.object({ address: t.string().pattern('^[^:]+:[0-9]+$') }),
  status,
  deprecated: true,
})

export const Backend = resource('example.dev/v1', 'Backend', {
  spec: t.object({ host: t.string().minLength(1), port: t.int().min(1).max(65535), tls: t.boolean().default(false) }),
  status,
  columns: [column('URL', '.status.url'), age()],
  versions: [BackendV1alpha1],
})

/** Holds the field `tls` of v1 in v1alpha1. */
export const tlsAnnotation = 'example.dev/tls'

/** To track field owners, the API server also converts objects with only some fields. So any field may be missing. */
export const versions = converting(Backend).version(BackendV1alpha1, {
  up: (old) => {
    const { [tlsAnnotation]: tls, ...annotations } = old.metadata.annotations ?? {}
    const [host, port] = old.spec.address?.split(':') ?? []
    return {
      metadata: { annotations },
      spec: {
        host,
        port: port === undefined ? undefined : Number(port),
        tls: tls === undefined ? undefined : tls === 'true',
      },
      status: old.status,
    }
  },
  down: ({ metadata, spec: { host, port, tls }, status: current }) => ({
    metadata: { annotations: { ...metadata.annotations, ...(tls ? { [tlsAnnotation]: 'true' } : {}) } },
    spec: { address: host === undefined ? undefined : `${host}:${port}` },
    status: current,
  }),
})

export const backends = controller(Backend).reconcile(({ object, status: transaction }) => {
  const { host, port, tls } = object.spec
  transaction.set({ url: `${tls ? 'https' : 'http'}://${host}:${port}` })
  transaction.condition({ type: 'Ready', status: true, reason: 'Resolved', message: 'the URL is known' })
})

export default operator({ name: 'backends', controllers: [backends], webhooks: [versions] })

export const demo: OperatorDemo = {
  samples: [
    {
      apiVersion: 'example.dev/v1',
      kind: 'Backend',
      metadata: { name: 'shop' },
      spec: { host: 'shop.local', port: 443, tls: true },
    },
  ],
  tries: [
    ['in v1', 'kubectl get backends.v1.example.dev shop -o yaml'],
    ['in v1alpha1', 'kubectl get backends.v1alpha1.example.dev shop -o yaml'],
    [
      'write v1alpha1: TLS stays on',
      `kubectl patch backends.v1alpha1.example.dev shop --type merge -p '{"spec":{"address":"new.local:8443"}}'`,
    ],
  ],
}
