/**
 * Keeps the webhook configurations of a cluster up to date. In a cluster they exist, from the manifests, and only get
 * the CAs that callers must trust. In a local run they are created at the start and deleted at the end.
 */
import { isNotFound } from '../api/error-reasons.ts'
import type { JsonObject } from '../api/json.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import type { Client, JsonPatchOperation, Partially } from '../client/client.ts'
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../schema/builtin/kinds.ts'
import type { Kind } from '../schema/kind.ts'
import {
  byUrl,
  conversionsOf,
  conversionSpec,
  definitionName,
  webhookConfigurations,
  webhooksName,
} from './configurations.ts'
import type { Webhook } from './webhook-server.ts'

export interface Registration {
  /** Makes callers trust these CAs (PEM). Returns one line for each missing object that should have been updated. */
  trust(ca: string, signal?: AbortSignal): Promise<readonly string[]>
  /** Removes the registration of a local run. Succeeds if there is nothing to remove. */
  end(): Promise<void>
}

const configurations = { mutating: MutatingWebhookConfiguration, validating: ValidatingWebhookConfiguration } as const

export function clusterRegistration(client: Client, operator: string, webhooks: readonly Webhook[]): Registration {
  const name = webhooksName(operator)
  const types = (['mutating', 'validating'] as const).filter((type) =>
    webhooks.some((webhook) => webhook.type === type),
  )
  return {
    async trust(ca, signal) {
      const caBundle = Buffer.from(ca).toString('base64')
      const missing: string[] = []
      const report = async (
        kind: Kind,
        object: string,
        patch: (live: Live<ApiObject>) => readonly JsonPatchOperation[],
      ): Promise<void> => {
        try {
          await reported(client, kind, object, patch, signal)
        } catch (error) {
          if (!isNotFound(error)) throw error
          missing.push(`there is no ${kind.kind} ${object}`)
        }
      }
      for (const type of types) await report(configurations[type], name, (live) => inWebhooks(live, caBundle))
      for (const conversion of conversionsOf(webhooks))
        await report(CustomResourceDefinition, definitionName(conversion), (live) => inConversion(live, caBundle))
      return missing
    },
    end: () => Promise.resolve(),
  }
}

/** Updates with the resourceVersion that was read. Sends nothing if nothing differs. */
async function reported(
  client: Client,
  kind: Kind,
  name: string,
  patch: (live: Live<ApiObject>) => readonly JsonPatchOperation[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const live = await client.get(kind, { name }, { signal })
  const operations = patch(live)
  if (operations.length === 0) return
  const guard: JsonPatchOperation = {
    op: 'test',
    path: '/metadata/resourceVersion',
    value: live.metadata.resourceVersion,
  }
  await client.patch(kind, { name }, { type: 'json', patch: [guard, ...operations] }, { signal })
}

function inWebhooks(live: object, caBundle: string): readonly JsonPatchOperation[] {
  const { webhooks = [] } = live as {
    readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle?: string } }[]
  }
  return webhooks.flatMap(({ clientConfig }, index) => {
    if (clientConfig.caBundle === caBundle) return []
    return [{ op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: caBundle } as const]
  })
}

function inConversion(live: object, caBundle: string): readonly JsonPatchOperation[] {
  const { conversion } = (live as CustomResourceDefinition).spec
  if (conversion?.webhook?.clientConfig === undefined || conversion.webhook.clientConfig.caBundle === caBundle)
    return []
  return [{ op: 'add', path: '/spec/conversion/webhook/clientConfig/caBundle', value: caBundle }]
}

export function localRegistration(
  client: Client,
  operator: string,
  webhooks: readonly Webhook[],
  url: string,
): Registration {
  const fieldManager = webhooksName(operator)
  return {
    async trust(ca, signal) {
      const reach = byUrl(url, Buffer.from(ca).toString('base64'))
      for (const object of webhookConfigurations(operator, webhooks, reach)) {
        const kind =
          object.kind === 'MutatingWebhookConfiguration' ? configurations.mutating : configurations.validating
        await client.apply<ApiObject>(kind, object as Partially<ApiObject>, { fieldManager, force: true, signal })
      }
      const missing: string[] = []
      for (const conversion of conversionsOf(webhooks)) {
        const isThere = await converts(client, definitionName(conversion), conversionSpec(reach), signal)
        if (!isThere) missing.push(`there is no CustomResourceDefinition ${definitionName(conversion)}`)
      }
      return missing
    },
    async end() {
      for (const { kind } of webhookConfigurations(operator, webhooks, byUrl(url, ''))) {
        const type = kind === 'MutatingWebhookConfiguration' ? 'mutating' : 'validating'
        await client.delete<ApiObject>(configurations[type], { name: fieldManager }).catch(ignoreMissing)
      }
      for (const conversion of conversionsOf(webhooks))
        await converts(client, definitionName(conversion), { strategy: 'None', webhook: null })
    },
  }
}

async function converts(client: Client, name: string, conversion: JsonObject, signal?: AbortSignal): Promise<boolean> {
  try {
    await client.patch(
      CustomResourceDefinition,
      { name },
      { type: 'merge', patch: { spec: { conversion } } },
      { signal },
    )
    return true
  } catch (error) {
    ignoreMissing(error)
    return false
  }
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error
}
