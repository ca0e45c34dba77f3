/** The scale subresource of an autoscaler's target. */
import { KindNotServedError, type RestMapper } from '../../client/index.ts'
import type { Client, Kind } from '../../index.ts'

/** The scale of the target. */
export interface Scale {
  readonly kind: Kind
  readonly version: string
  readonly replicas: number
  readonly present: number
  readonly selector: string
}

export async function targetKind(mapper: RestMapper, apiVersion: string, kind: string): Promise<Kind> {
  try {
    return await mapper.kindOfObject({ apiVersion, kind })
  } catch (error) {
    if (!(error instanceof KindNotServedError)) throw error
    throw new TypeError(
      `no matches for kind ${JSON.stringify(kind)} in group ` +
        JSON.stringify(apiVersion.includes('/') ? apiVersion.split('/')[0] : ''),
      { cause: error },
    )
  }
}

export async function readScale(
  client: Client,
  kind: Kind,
  key: { readonly namespace: string | undefined; readonly name: string },
  signal: AbortSignal,
): Promise<Scale> {
  const scale = (await client.get(kind, key, { subresource: 'scale', signal })) as {
    readonly metadata: { readonly resourceVersion: string }
    readonly spec?: { readonly replicas?: number }
    readonly status?: { readonly replicas?: number; readonly selector?: string }
  }
  return {
    kind,
    version: scale.metadata.resourceVersion,
    replicas: scale.spec?.replicas ?? 0,
    present: scale.status?.replicas ?? 0,
    selector: scale.status?.selector ?? '',
  }
}
