/**
 * Converts objects by the webhook that their definition names. Many go in one review, of a size that webhooks take;
 * where that fails, each is sent by itself, so that the failure is told of the object that it is about.
 */
import type { FrozenJson, Json, JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import type { VersionConverter } from '../contract/resource.ts'
import { callFailure, buildConversionReview, convertedObjects, groupVersionKindText } from './review.ts'

/** Where a webhook is, as a definition says it. */
interface ConversionTarget {
  readonly url?: string
  readonly service?: {
    readonly name: string
    readonly namespace: string
    readonly path?: string
    readonly port?: number
  }
  readonly caBundle?: string
}

export interface ConversionServices {
  /** Sends a review and gives the answer's body. Rejects with an Error that says why there is none. */
  call(
    webhook: ConversionTarget & { readonly isServed: boolean },
    review: Json,
    timeoutSeconds: number,
  ): Promise<FrozenJson>
  /** For a review. */
  newId(): string
  hasService(namespace: string, name: string): boolean
}

/** Upstream's; nobody can set another. */
const timeoutSeconds = 30
/** In one review: webhooks refuse more than some MiB, and need time for each. */
const maxObjectsPerReview = 100
const maxCharactersPerReview = 1024 * 1024

/** Undefined: no webhook converts. */
export function webhookConverter(crd: KubeObject, services: ConversionServices): VersionConverter | undefined {
  const { conversion } = crd['spec'] as { readonly conversion?: JsonObject }
  if (conversion?.['strategy'] !== 'Webhook') return undefined
  const { clientConfig = {}, conversionReviewVersions = [] } = (conversion['webhook'] ?? {}) as {
    readonly clientConfig?: ConversionTarget
    readonly conversionReviewVersions?: readonly string[]
  }
  const { service } = clientConfig
  const send = async (objects: readonly KubeObject[], apiVersion: string): Promise<readonly KubeObject[]> => {
    const isServed = service === undefined || services.hasService(service.namespace, service.name)
    try {
      const review = buildConversionReview(conversionReviewVersions, services.newId(), objects, apiVersion)
      const body = await services
        .call({ ...clientConfig, isServed }, review.body, timeoutSeconds)
        .catch((error: unknown) => {
          throw new Error(callFailure(groupVersionKindText(objects[0] as KubeObject), error), { cause: error })
        })
      return convertedObjects(objects, body, review, apiVersion)
    } catch (error) {
      if (objects.length === 1) throw apiError.internal((error as Error).message)
      return sendAll(
        objects.map((object) => [object]),
        apiVersion,
      )
    }
  }
  const sendAll = async (
    batches: readonly (readonly KubeObject[])[],
    apiVersion: string,
  ): Promise<readonly KubeObject[]> => {
    const converted: KubeObject[] = []
    for (const batch of batches) converted.push(...(await send(batch, apiVersion)))
    return converted
  }
  return (objects, apiVersion) => sendAll(inBatches(objects), apiVersion)
}

function inBatches(objects: readonly KubeObject[]): readonly (readonly KubeObject[])[] {
  if (objects.length === 1) return [objects]
  const batches: KubeObject[][] = []
  let length = Infinity
  for (const object of objects) {
    const own = JSON.stringify(object).length
    if (length + own > maxCharactersPerReview || batches.at(-1)?.length === maxObjectsPerReview) {
      batches.push([])
      length = 0
    }
    batches.at(-1)?.push(object)
    length += own
  }
  return batches
}
