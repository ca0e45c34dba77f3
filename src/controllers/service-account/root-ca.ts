/** Creates the ConfigMap with the CA certificates of the API server in each namespace. */
import { ConfigMap, controller, mutableCopy, Namespace, type ControllerDefinition } from '../../index.ts'
import { createUnlessTerminating } from './create-once.ts'

export interface RootCaOptions {
  /** The CA certificates of the server, as PEM. */
  readonly ca: string
}

const name = 'kube-root-ca.crt'
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as ' +
  'the internal service IP or ' +
  'kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

export function rootCas({ ca }: RootCaOptions): ControllerDefinition<Namespace> {
  const annotations = { 'kubernetes.io/description': description }
  const data = { 'ca.crt': ca }
  return controller(Namespace)
    .named('root-ca-certificate-publisher-controller')
    .watches(ConfigMap, { map: ({ metadata }) => (metadata.name === name ? [{ name: metadata.namespace ?? '' }] : []) })
    .options({ fieldManager: 'kube-controller-manager' })
    .reconcile(async ({ object: { metadata }, get, client, signal }) => {
      const namespace = metadata.name
      const existing = await get(ConfigMap, { namespace, name })
      if (existing === undefined) {
        await createUnlessTerminating(
          client.create(ConfigMap, { metadata: { namespace, name, annotations }, data }, { signal }),
        )
        return
      }
      const isRight = existing.data?.['ca.crt'] === ca && Object.keys(existing.data).length === 1
      if (isRight && existing.metadata.annotations?.['kubernetes.io/description'] === description) return
      const copy = mutableCopy(existing)
      await client.update(
        ConfigMap,
        {
          ...copy,
          metadata: { ...copy.metadata, annotations: { ...copy.metadata.annotations, ...annotations } },
          data,
        },
        { signal },
      )
    })
}
