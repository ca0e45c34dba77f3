/**
 * MutatingAdmissionWebhook and ValidatingAdmissionWebhook: call the webhooks of the configurations, in order. Requests
 * that no rule matches skip these plugins.
 */
import type { Json, JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { limitSteps } from '../../../api/step-limit.ts'
import { apiError, ApiError } from '../../../api/status.ts'
import type { AdmissionRequest, AdmissionTarget } from '../../registry/admission.ts'
import { ExternalCall } from '../../contract/external-calls.ts'
import { applyJsonPatch } from '../../patch/json-patch.ts'
import { activationOf, allHold, authorizerOf } from '../expressions/activation.ts'
import type { AdmissionPlugin, AdmissionServices } from '../plugin.ts'
import { Reinvocations, type Reinvocation } from '../reinvocation.ts'
import { MutationAnnotations, ValidationAnnotations, type WebhookAnnotations } from './annotations.ts'
import { orInternal, replaceObject } from './replace-object.ts'
import {
  denied,
  inWebhookVersion,
  reviewBody,
  readReviewResponse,
  reviewRequest,
  type WebhookResponse,
} from './review.ts'
import { isSelected } from './selection.ts'
import { wantedVersion, type ConfiguredWebhook } from './webhook.ts'

/** Exempt from webhooks, so that a broken configuration can always be repaired. */
const exempt = new Set([
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
])

type Configured = () => readonly ConfiguredWebhook[]

function concerning(configured: Configured): (target: AdmissionTarget) => boolean {
  return (target) =>
    !(target.resource.group === 'admissionregistration.k8s.io' && exempt.has(target.resource.plural)) &&
    configured().some((webhook) => wantedVersion(webhook, target) !== undefined)
}

export function mutatingWebhooks(services: AdmissionServices): AdmissionPlugin {
  const configured = (): readonly ConfiguredWebhook[] => services.webhooks.mutating
  const reinvocations = new Reinvocations()
  return {
    name: 'MutatingAdmissionWebhook',
    mutate: {
      concerns: concerning(configured),
      run: (request) => {
        const reinvocation = reinvocations.of(request)
        reinvocation.begin()
        limitSteps(() => {
          for (const [i, webhook] of configured().entries()) callMutating(webhook, i, request, services, reinvocation)
        })
        reinvocation.end()
      },
    },
  }
}

/** `index`: among all configured webhooks. */
function callMutating(
  webhook: ConfiguredWebhook,
  index: number,
  request: AdmissionRequest,
  services: AdmissionServices,
  reinvocation: Reinvocation,
): void {
  const key = `${webhook.configuration}/${webhook.name}`
  if (!reinvocation.isDue(key)) return
  const about = reviewOf(webhook, request, services)
  if (about === undefined) return
  const annotations = new MutationAnnotations(request, webhook, request.isSecondRound === true ? 1 : 0, index)
  try {
    const answer = callWebhook(webhook, about, request, services, annotations)
    let hasChanged = false
    if (answer?.patch !== undefined) {
      const before = JSON.stringify(request.object)
      patchObject(request, answer.patch, wantedVersion(webhook, request) ?? '')
      hasChanged = before !== JSON.stringify(request.object)
      annotations.patched(answer.patch, !reinvocation.hasPatched)
      reinvocation.hasPatched = true
    }
    if (answer !== undefined) reinvocation.ran(key, hasChanged, webhook.isReinvoked)
  } finally {
    annotations.called()
  }
}

export function validatingWebhooks(services: AdmissionServices): AdmissionPlugin {
  const configured = (): readonly ConfiguredWebhook[] => services.webhooks.validating
  return {
    name: 'ValidatingAdmissionWebhook',
    validate: {
      concerns: concerning(configured),
      run: (request) => {
        limitSteps(() => {
          let index = 0
          for (const webhook of configured()) {
            const about = reviewOf(webhook, request, services)
            if (about === undefined) continue
            callWebhook(webhook, about, request, services, new ValidationAnnotations(request, webhook, index++))
          }
        })
      },
    },
  }
}

/**
 * The request of the review. Undefined: the webhook does not apply. Throws if a condition failed and the failurePolicy
 * is Fail.
 */
function reviewOf(
  webhook: ConfiguredWebhook,
  request: AdmissionRequest,
  services: AdmissionServices,
): JsonObject | undefined {
  const version = wantedVersion(webhook, request)
  if (version === undefined || services.isOwn(request.context.user) || !isSelected(webhook, request)) return undefined
  const about = reviewRequest(request, version)
  if (webhook.conditions === undefined) return about
  const { object, oldObject } = about
  const authorizer = authorizerOf(request, services.decide)
  try {
    const activation = activationOf({ request: about, object, oldObject, authorizer })
    return allHold(webhook.conditions(), activation) ? about : undefined
  } catch (error) {
    if (!webhook.failsClosed) return undefined
    const { resource, name } = request
    throw apiError.forbidden({ group: resource.group, resource: resource.plural }, name, (error as Error).message)
  }
}

/**
 * Undefined: it failed and its failurePolicy is Ignore. Throws if the webhook denies the request, or if it failed and
 * its failurePolicy is Fail.
 */
function callWebhook(
  webhook: ConfiguredWebhook,
  about: JsonObject,
  request: AdmissionRequest,
  services: AdmissionServices,
  annotations: WebhookAnnotations,
): WebhookResponse | undefined {
  const { context } = request
  if (context.dryRun && !webhook.takesDryRuns)
    throw apiError.badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`)
  const answer = webhookResponse(webhook, about, request, services, annotations.isMutating)
  if (answer === undefined) {
    annotations.failedOpen()
    return undefined
  }
  annotations.answered(answer)
  for (const warning of answer.warnings) context.warn(warning)
  if (!answer.allowed) throw denied(webhook.name, answer.status)
  return answer
}

/** Undefined: the call failed and the failurePolicy is Ignore. */
function webhookResponse(
  webhook: ConfiguredWebhook,
  about: JsonObject,
  { context }: AdmissionRequest,
  { webhooks }: AdmissionServices,
  mutating: boolean,
): WebhookResponse | undefined {
  const { name, target, timeoutSeconds } = webhook
  try {
    const reply = context.askOutside(reviewBody(name, about), async () => {
      const uid = webhooks.newId()
      const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request: { uid, ...about } }
      try {
        return {
          uid,
          body: await webhooks.call({ ...target, isServed: isServed(target, context) }, review, timeoutSeconds),
        }
      } catch (error) {
        return { failure: `failed to call webhook: ${(error as Error).message}` }
      }
    })
    if ('failure' in reply) throw new Error(reply.failure)
    try {
      return readReviewResponse(reply.body, reply.uid, mutating)
    } catch (error) {
      throw new Error(`received invalid webhook response: ${(error as Error).message}`, { cause: error })
    }
  } catch (error) {
    if (error instanceof ExternalCall || error instanceof ApiError) throw error
    if (!webhook.failsClosed) return undefined
    throw apiError.internalError(`failed calling webhook ${JSON.stringify(name)}: ${(error as Error).message}`)
  }
}

function isServed({ service }: ConfiguredWebhook['target'], context: AdmissionRequest['context']): boolean {
  return service === undefined || context.lookup('', 'services', service.namespace, service.name) !== undefined
}

/** Applies the patch to the object in the version that the webhook saw. */
function patchObject(request: AdmissionRequest, patch: Json, version: string): void {
  const seen = inWebhookVersion(request, request.object, version)
  if (seen === undefined) return
  replaceObject(
    request,
    orInternal(() => applyJsonPatch(seen as Json, patch) as KubeObject),
  )
}
