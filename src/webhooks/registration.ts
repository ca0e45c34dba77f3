/**
 * Keeps the webhook configurations of a cluster up to date. In a cluster they exist, from the manifests, and only get
 * the CAs that callers must trust. What a local run has replaced is left to it.
 */
import { isNotFound } from '../api/error-reasons.ts'
import type { ApiObject, Live } from '../api/live-object.ts'
import type { Client, JsonPatchOperation } from '../client/client.ts'
import { CustomResourceDefinition } from '../schema/builtin/kinds.ts'
import type { Kind } from '../schema/kind.ts'
import { configurations, conversionsOf, definitionName, localRunAnnotation, webhooksName } from './configurations.ts'
import type { Webhook } from './webhook-server.ts'

export interface Registration {
  /** Makes callers trust these CAs (PEM). Returns a line for each object that is not as it should be. */
  trust(ca: string, signal?: AbortSignal): Promise<readonly string[]>
  /** Ends the registration of a local run. Succeeds if there is none. */
  end(): Promise<void>
}

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

/** Updates with the resourceVersion that was read. Sends nothing if nothing differs, or a local run has the object. */
async function reported(
  client: Client,
  kind: Kind,
  name: string,
  patch: (live: Live<ApiObject>) => readonly JsonPatchOperation[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const live = await client.get(kind, { name }, { signal })
  if (live.metadata.annotations?.[localRunAnnotation] !== undefined) return
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
