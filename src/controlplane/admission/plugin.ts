/**
 * What an admission plugin is: a named value with hooks, each of which says once, for a kind of request, whether it
 * concerns it, and is then called only where it does.
 */
import type { FrozenJson, Json } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError, type ApiError, type Status } from '../../api/status.ts'
import type { AdmissionHook, AdmissionRequest, AdmissionTarget, AdmissionOperation } from '../registry/admission.ts'
import type { UserInfo } from '../contract/resource.ts'
import type { ConfiguredWebhook, WebhookTarget } from './webhooks/webhook.ts'

export interface AdmissionPlugin {
  /** Upstream's, as `--disable-admission-plugins` takes it. */
  readonly name: string
  /** Changes what is written, before it is prepared and validated. */
  readonly mutate?: PluginHook
  /** Refuses, once it is. */
  readonly validate?: PluginHook
}

export interface PluginHook {
  /** Asked once for each resource, subresource and operation; the answer is kept. */
  concerns(target: AdmissionTarget): boolean
  readonly run: AdmissionHook
}

/** Sends a review and gives the answer's body. Rejects with an Error that says why there is none. */
export type CallWebhook = (
  webhook: WebhookTarget & { readonly isServed: boolean },
  review: Json,
  timeoutSeconds: number,
) => Promise<FrozenJson>

/** The webhooks that configurations name now, in the order in which they are asked. */
export interface WebhookServices {
  readonly mutating: readonly ConfiguredWebhook[]
  readonly validating: readonly ConfiguredWebhook[]
  readonly call: CallWebhook
  /** For a review. */
  newId(): string
}

/** What plugins need of the server around them. */
export interface AdmissionServices {
  readonly webhooks: WebhookServices
  /** Whether it is the server itself that writes, which cannot wait for anybody. */
  isOwn(user: UserInfo): boolean
  /** May the user do this to a cluster-scoped resource of this name? */
  authorizes(user: UserInfo, verb: string, group: string, resource: string, name: string): boolean
  /** Writes the status subresource as the server itself. The Status of a failure, else undefined. */
  writeStatus(plural: string, object: KubeObject): Status | undefined
  /** Creates an object of the core group as the server itself. */
  create(plural: string, object: KubeObject): Status | undefined
}

/** A `concerns` for one resource; subresources are not meant unless they are named. */
export function on(
  group: string,
  plural: string,
  operations: readonly AdmissionOperation[],
  subresources: readonly string[] = [''],
): PluginHook['concerns'] {
  return ({ resource, subresource, operation }) =>
    resource.plural === plural &&
    resource.group === group &&
    operations.includes(operation) &&
    subresources.includes(subresource)
}

/** The 403 of a plugin. Names that are yet to be generated show as their prefix. */
export function rejected(request: AdmissionRequest, why: string): ApiError {
  const { resource, object } = request
  const name = request.name || object?.metadata.name || object?.metadata.generateName || 'Unknown'
  return apiError.forbidden({ group: resource.group, resource: resource.plural }, name, why)
}
