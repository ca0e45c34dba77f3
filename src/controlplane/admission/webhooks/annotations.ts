/** The annotations in the audit log about calls of webhooks, as upstream names them. */
import { goJson } from '../../../api/go-json.ts'
import { cloneJson, equalJson, type Json } from '../../../api/json.ts'
import { checkQualifiedName } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { RequestAudit } from '../../contract/request-audit.ts'
import type { AdmissionRequest } from '../../registry/admission.ts'
import type { WebhookResponse } from './review.ts'
import type { ConfiguredWebhook } from './webhook.ts'

export interface WebhookAnnotations {
  readonly isMutating: boolean
  /** The annotations of the webhook itself. */
  answered(response: WebhookResponse): void
  /** The call failed, and the failurePolicy is Ignore. */
  failedOpen(): void
}

/** `index`: among the webhooks that are called. */
export class ValidationAnnotations implements WebhookAnnotations {
  readonly isMutating = false
  readonly #audit: RequestAudit | undefined
  readonly #webhook: ConfiguredWebhook
  readonly #index: number

  constructor({ context }: AdmissionRequest, webhook: ConfiguredWebhook, index: number) {
    this.#audit = context.audit
    this.#webhook = webhook
    this.#index = index
  }

  answered(response: WebhookResponse): void {
    addOwn(this.#audit, this.#webhook, response)
  }

  failedOpen(): void {
    const key = `failed-open.validating.webhook.admission.k8s.io/round_0_index_${this.#index}`
    this.#audit?.annotate(key, this.#webhook.name)
  }
}

/** `index`: among all configured webhooks. `round`: 1 for a reinvocation. */
export class MutationAnnotations implements WebhookAnnotations {
  readonly isMutating = true
  readonly #audit: RequestAudit | undefined
  readonly #webhook: ConfiguredWebhook
  readonly #request: AdmissionRequest
  readonly #place: string
  /** Absent: not recorded. */
  readonly #before: Json | undefined
  #isMutated = false

  constructor(request: AdmissionRequest, webhook: ConfiguredWebhook, round: number, index: number) {
    this.#audit = request.context.audit
    this.#webhook = webhook
    this.#request = request
    this.#place = `round_${round}_index_${index}`
    this.#before = this.#audit === undefined ? undefined : cloneJson(request.object ?? null)
  }

  answered(response: WebhookResponse): void {
    addOwn(this.#audit, this.#webhook, response)
  }

  failedOpen(): void {
    this.#audit?.annotate(`failed-open.mutation.webhook.admission.k8s.io/${this.#place}`, this.#webhook.name)
  }

  /** The patch was applied. `isFirst`: of this request. */
  patched(patch: Json, isFirst: boolean): void {
    if (this.#audit === undefined || !Array.isArray(patch) || patch.length === 0) return
    const { object } = this.#request
    this.#isMutated = (isFirst && this.#hasNewTime) || !equalJson(this.#before, object ?? null)
    const { configuration, name } = this.#webhook
    const value =
      `{"configuration":${goJson(configuration)},"webhook":${goJson(name)},"patch":${goJson(patch)},` +
      '"patchType":"JSONPatch"}'
    this.#audit.annotate(`patch.webhook.admission.k8s.io/${this.#place}`, value, 'Request')
  }

  /**
   * The time of a new entry in managedFields has nanoseconds until a patch is applied to its JSON, which upstream takes
   * for a mutation.
   */
  get #hasNewTime(): boolean {
    const { resource, object, old } = this.#request
    const entries = (of: KubeObject | undefined): Json => of?.metadata.managedFields ?? []
    return resource.builtin && !equalJson(entries(object), entries(old))
  }

  /** The call is over, whatever its result. */
  called(): void {
    if (this.#audit === undefined) return
    const { configuration, name } = this.#webhook
    const value = `{"configuration":${goJson(configuration)},"webhook":${goJson(name)},"mutated":${this.#isMutated}}`
    this.#audit.annotate(`mutation.webhook.admission.k8s.io/${this.#place}`, value)
  }
}

/** Below the name of the webhook. Keys that are not qualified names are dropped. */
function addOwn(
  audit: RequestAudit | undefined,
  { name }: ConfiguredWebhook,
  { auditAnnotations }: WebhookResponse,
): void {
  if (audit === undefined) return
  for (const own of Object.keys(auditAnnotations).toSorted()) {
    const key = `${name}/${own}`
    if (checkQualifiedName(key).length === 0) audit.annotate(key, String(auditAnnotations[own]))
  }
}
