/** Admission webhooks of an operator under test: asked by the embedded control plane as they would be over HTTPS, without sockets. */
import type { ApiObject } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import type { ControlPlaneOptions } from '../controlplane/index.ts'
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../schema/builtin/kinds.ts'
import type { Logger } from '../telemetry/logger.ts'
import { admissionReview } from '../webhooks/admission-review.ts'
import { byUrl, webhookConfigurations } from '../webhooks/configurations.ts'
import type { Webhook } from '../webhooks/webhook-server.ts'

const url = 'https://webhooks.test'

/** Those that {@link installWebhooks} told of. What else a configuration names cannot be reached. */
export function inProcessWebhooks(webhooks: readonly Webhook[], client: () => Client, log: Logger): NonNullable<ControlPlaneOptions['callWebhook']> {
  return async (target, review) => {
    const webhook = webhooks.find(({ path }) => target.url === `${url}${path}`)
    if (webhook === undefined || webhook.type === 'conversion') {
      throw new Error(`Post ${JSON.stringify(target.url ?? target.service?.name ?? '')}: not a webhook of this test`)
    }
    // What is sent is a copy: nobody can change what the server has in hand.
    const { body } = await admissionReview(webhook, structuredClone(review), { client: client(), log, signal: new AbortController().signal })
    return body
  }
}

export async function installWebhooks(client: Client, webhooks: readonly Webhook[]): Promise<void> {
  for (const object of webhookConfigurations('test', webhooks, byUrl(url, ''))) {
    await client.create<ApiObject>(object.kind === 'MutatingWebhookConfiguration' ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration, object)
  }
}
