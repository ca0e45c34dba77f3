/**
 * The interface of an admission plugin: a name and hooks. A hook declares which kinds of requests concern it and runs
 * for those only.
 */
import type { FrozenJson, Json } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError, type ApiError, type Status } from '../../api/status.ts'
import type { AdmissionHook, AdmissionRequest, AdmissionTarget, AdmissionOperation } from '../registry/admission.ts'
import type { UserInfo } from '../contract/resource.ts'
import type { Decide } from './expressions/activation.ts'
import type { CompiledPolicy } from './expressions/compiled-policy.ts'
import type { CompiledMutations } from './expressions/mutation.ts'
import type { ParamObjects } from './policies/params.ts'
import type { ConfiguredPolicy, ParamKind } from './policies/policy.ts'
import type { ConfiguredWebhook, WebhookTarget } from './webhooks/webhook.ts'

export interface AdmissionPlugin {
  /** The upstream name, as `--disable-admission-plugins` takes it. */
  readonly name: string
  /** Changes the object before it is prepared and validated. */
  readonly mutate?: PluginHook
  /** Rejects the request, after the object is prepared and validated. */
  readonly validate?: PluginHook
}

export interface PluginHook {
  /** Called once for each resource, subresource and operation; the result is cached. */
  concerns(target: AdmissionTarget): boolean
  readonly run: AdmissionHook
}

/**
 * Sends a review and resolves to the body of the response. Rejects with an Error that says why there is no response.
 */
export type CallWebhook = (
  webhook: WebhookTarget & { readonly isServed: boolean },
  review: Json,
  timeoutSeconds: number,
) => Promise<FrozenJson>

/** The webhooks of the current configurations, in the order in which they are called. */
export interface WebhookServices {
  readonly mutating: readonly ConfiguredWebhook[]
  readonly validating: readonly ConfiguredWebhook[]
  readonly call: CallWebhook
  /** Makes the uid of a review. */
  newId(): string
}

/** The policies that have bindings, and the objects of their parameters. */
export interface PolicyServices {
  readonly mutating: readonly ConfiguredPolicy<CompiledMutations>[]
  readonly validating: readonly ConfiguredPolicy<CompiledPolicy>[]
  /** Undefined if the kind is not served. */
  paramObjects(kind: ParamKind): ParamObjects | undefined
}

/** The services of the server that plugins use. */
export interface AdmissionServices {
  readonly webhooks: WebhookServices
  readonly policies: PolicyServices
  /** True for the server's own user: its writes are synchronous and cannot wait for a webhook. */
  isOwn(user: UserInfo): boolean
  /** Whether the user may use this verb on a cluster-scoped resource with this name. */
  authorizes(user: UserInfo, verb: string, group: string, resource: string, name: string): boolean
  readonly decide: Decide
  /** Updates the status subresource as the server's own user. Returns the Status of a failure, otherwise undefined. */
  writeStatus(plural: string, object: KubeObject): Status | undefined
  /**
   * Creates an object of the core group as the server's own user. Returns the Status of a failure, otherwise undefined.
   */
  create(plural: string, object: KubeObject): Status | undefined
  /** Resolves when the service account exists, or when a controller had enough time to create it. */
  awaitAccount(namespace: string, name: string): Promise<void>
}

/** A `concerns` for one resource. Matches subresources only if they are listed. */
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

/** The 403 of a plugin. Objects whose name is not generated yet appear with their `generateName`. */
export function rejected(request: AdmissionRequest, why: string): ApiError {
  const { resource, object } = request
  const name = request.name || object?.metadata.name || object?.metadata.generateName || 'Unknown'
  return apiError.forbidden({ group: resource.group, resource: resource.plural }, name, why)
}
