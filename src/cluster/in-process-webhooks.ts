/** Calls the webhooks of an operator under test from the embedded control plane, without sockets. */
import type { ApiObject } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import type { ControlPlaneOptions } from '../controlplane/index.ts'
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../schema/builtin/kinds.ts'
import type { ExternalServices } from '../external/external-handle.ts'
import type { Logger } from '../telemetry/logger.ts'
import { admissionReview } from '../webhooks/admission-review.ts'
import {
  byUrl,
  conversionsOf,
  conversionSpec,
  definitionName,
  webhookConfigurations,
} from '../webhooks/configurations.ts'
import { checkConversions, answerConversionReview } from '../webhooks/conversion-webhook.ts'
import type { Webhook } from '../webhooks/webhook-server.ts'

const url = 'https://webhooks.test'

export interface InProcessServices {
  readonly client: Client
  readonly log: Logger
  readonly externals: ExternalServices
  /** Runs code of the program under test. */
  readonly marked: <Result>(who: string, work: () => Result) => Result
}

/** Calls those that {@link installWebhooks} registered. Other webhooks of a configuration cannot be reached. */
export function inProcessWebhooks(
  webhooks: readonly Webhook[],
  services: () => InProcessServices,
): NonNullable<ControlPlaneOptions['callWebhook']> {
  return async (target, review) => {
    const webhook = webhooks.find(({ path }) => target.url === `${url}${path}`)
    if (webhook === undefined) {
      throw new Error(`Post ${JSON.stringify(target.url ?? target.service?.name ?? '')}: not a webhook of this test`)
    }
    // Sends a copy, so that a handler cannot change the server's object.
    const sent = structuredClone(review)
    const { log, marked, ...own } = services()
    const { body, failure } = await marked(`the webhook ${webhook.path}`, async () =>
      webhook.type === 'conversion'
        ? answerConversionReview(conversionsOf(webhooks), sent)
        : admissionReview(webhook, sent, { ...own, log, signal: new AbortController().signal }),
    )
    if (failure !== undefined) log.error('a webhook failed', { webhook: webhook.path, error: failure })
    return body
  }
}

/** The CRDs of the converted kinds must exist. Throws for versions without a conversion. */
export async function installWebhooks(client: Client, webhooks: readonly Webhook[]): Promise<void> {
  for (const conversion of conversionsOf(webhooks)) {
    checkConversions(conversion)
    const patch = { spec: { conversion: conversionSpec(byUrl(url, '')) } }
    await client.patch(CustomResourceDefinition, { name: definitionName(conversion) }, { type: 'merge', patch })
  }
  for (const object of webhookConfigurations('test', webhooks, byUrl(url, ''))) {
    await client.create<ApiObject>(
      object.kind === 'MutatingWebhookConfiguration' ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration,
      object,
    )
  }
}
