/**
 * Converts objects with the conversion webhook of their definition. Many objects go in one review, up to a size that
 * webhooks accept. If that fails, each object is sent alone, so that the error is about the object that caused it.
 */
import { appendAll } from '../../api/append.ts'
import type { FrozenJson, Json, JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import type { VersionConverter } from '../contract/resource.ts'
import { callFailure, buildConversionReview, convertedObjects, groupVersionKindText } from './review.ts'

/** The clientConfig of a conversion webhook. */
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
  /**
   * Sends a review and resolves to the body of the response. Rejects with an Error that says why there is no response.
   */
  call(
    webhook: ConversionTarget & { readonly isServed: boolean },
    review: Json,
    timeoutSeconds: number,
  ): Promise<FrozenJson>
  /** Makes the uid of a review. */
  newId(): string
  hasService(namespace: string, name: string): boolean
}

/** Fixed, as upstream. */
const timeoutSeconds = 30
/** Limits for one review: webhooks reject bodies of several MiB, and need time for each object. */
const maxObjectsPerReview = 100
const maxCharactersPerReview = 1024 * 1024

/** Undefined unless the conversion strategy of the definition is Webhook. */
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
    for (const batch of batches) appendAll(converted, await send(batch, apiVersion))
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
