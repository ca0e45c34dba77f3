/**
 * Shows how to manage something outside the cluster, here buckets behind an HTTP API. The API is declared, so that a
 * test puts a model in its place and a plan does not call it. The uid of the object is the id of the bucket, so a
 * repeated call finds the first one. The finalizer keeps the object until the bucket is gone.
 *
 * Run it: `BUCKETS_URL=http://127.0.0.1:8000 npm run -s coxswain -- demo examples/finalizer-with-external-system.ts`
 */
import { generationChanged } from 'coxswain/controller'
import {
  age,
  column,
  controller,
  operator,
  PermanentError,
  requeueAfter,
  resource,
  RetryableError,
  t,
  type Infer,
  type OperatorDemo,
} from 'coxswain'
import { external } from 'coxswain/external'

export const Bucket = resource('example.dev/v1', 'Bucket', {
  spec: t.object({
    region: t.string().minLength(1).rule('self == oldSelf', { message: 'the region of a bucket cannot change' }),
    quotaGiB: t.int().min(1).default(10),
  }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    url: t.string().optional(),
    conditions: t.conditions().optional(),
  }),
  columns: [column('URL', '.status.url'), column('Ready', '.status.conditions[?(@.type=="Ready")].status'), age()],
})
export type Bucket = Infer<typeof Bucket>

/** Both methods can be repeated. */
export interface BucketApi {
  /** Creates or updates. */
  put(id: string, spec: Bucket['spec']): Promise<{ url: string }>
  delete(id: string): Promise<void>
}

export const bucketApi = external<BucketApi>('bucket-api', {
  connect: ({ signal }) => ({
    put: async (id, spec) => {
      const response = await send(id, { method: 'PUT', body: JSON.stringify(spec), signal })
      return (await response.json()) as { url: string }
    },
    delete: async (id) => {
      await send(id, { method: 'DELETE', signal }, [404])
    },
  }),
})

async function send(id: string, request: RequestInit, expected: readonly number[] = []): Promise<Response> {
  const url = process.env['BUCKETS_URL'] ?? 'http://127.0.0.1:8000'
  const response = await fetch(`${url}/buckets/${id}`, request)
  const { ok, status } = response
  if (ok || expected.includes(status)) return response
  const message = `status ${status}: ${await response.text()}`
  // A refusal stays one until the spec changes. Anything else is worth another try.
  const isRefusal = status >= 400 && status < 500 && status !== 429
  throw isRefusal ? new PermanentError(message) : new RetryableError(message)
}

export const buckets = controller(Bucket)
  // The status that a run writes is no reason to call the other system again.
  .when(generationChanged)
  .uses(bucketApi)
  .finalizer('example.dev/bucket', ({ object, use }) => use(bucketApi).delete(object.metadata.uid))
  .reconcile(async ({ object, use, status }) => {
    try {
      status.set(await use(bucketApi).put(object.metadata.uid, object.spec))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      status.condition({ type: 'Ready', status: false, reason: 'ApiFailed', message })
      throw error
    }
    status.condition({ type: 'Ready', status: true, reason: 'Provisioned', message: 'the bucket exists' })
    // The other system cannot be watched. Its drift is repaired here.
    return requeueAfter(600_000)
  })

export default operator({ name: 'buckets', controllers: [buckets] })

export const demo: OperatorDemo = {
  samples: [
    { apiVersion: 'example.dev/v1', kind: 'Bucket', metadata: { name: 'photos' }, spec: { region: 'eu-central' } },
  ],
  tries: [['look', 'kubectl describe bucket photos']],
}
