/**
 * Shows how to manage something outside the cluster, here buckets behind an HTTP API. The uid of the object is the id
 * of the bucket, so a repeated create finds the first one and a repeated delete is a success. The finalizer keeps the
 * object until the bucket is gone.
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
  type ControllerDefinition,
  type Infer,
  type OperatorDemo,
} from 'coxswain'

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

/** The API of the other system: PUT creates or updates, DELETE deletes; both answer the same when repeated. */
class BucketApi {
  readonly #url: string
  readonly #fetch: typeof fetch

  constructor(url: string, send: typeof fetch) {
    this.#url = url
    this.#fetch = send
  }

  async put(id: string, spec: Bucket['spec'], signal: AbortSignal): Promise<string> {
    const answer = await this.#send(id, { method: 'PUT', body: JSON.stringify(spec), signal })
    return ((await answer.json()) as { url: string }).url
  }

  async delete(id: string, signal: AbortSignal): Promise<void> {
    await this.#send(id, { method: 'DELETE', signal }, [404])
  }

  async #send(id: string, request: RequestInit, expected: readonly number[] = []): Promise<Response> {
    const answer = await this.#fetch(`${this.#url}/buckets/${id}`, request)
    if (answer.ok || expected.includes(answer.status)) return answer
    const message = `the bucket API answered ${answer.status}: ${await answer.text()}`
    // A refusal stays one until the spec changes. Anything else is worth another try.
    const isRejection = answer.status >= 400 && answer.status < 500 && answer.status !== 429
    throw isRejection ? new PermanentError(message) : new RetryableError(message)
  }
}

export function buckets(url: string, send: typeof fetch = fetch): ControllerDefinition<Bucket> {
  const api = new BucketApi(url, send)
  return (
    controller(Bucket)
      // The status that a run writes is no reason to call the other system again.
      .when(generationChanged)
      .finalizer('example.dev/bucket', ({ object, signal }) => api.delete(object.metadata.uid, signal))
      .reconcile(async ({ object, status, signal }) => {
        try {
          status.set({ url: await api.put(object.metadata.uid, object.spec, signal) })
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error)
          status.condition({ type: 'Ready', status: false, reason: 'ApiFailed', message })
          throw error
        }
        status.condition({ type: 'Ready', status: true, reason: 'Provisioned', message: 'the bucket exists' })
        // The other system cannot be watched. Its drift is repaired here.
        return requeueAfter(600_000)
      })
  )
}

export default operator({
  name: 'buckets',
  controllers: [buckets(process.env['BUCKETS_URL'] ?? 'http://127.0.0.1:8000')],
})

export const demo: OperatorDemo = {
  samples: [
    { apiVersion: 'example.dev/v1', kind: 'Bucket', metadata: { name: 'photos' }, spec: { region: 'eu-central' } },
  ],
  tries: [['look', 'kubectl describe bucket photos']],
}
