/** Reads and updates the scale of an autoscaler's target, and reports what fails. */
import { ApiError, isConflict } from '../../index.ts'
import { readScale, targetKind, type Scale } from './scale.ts'
import type { Context, Surroundings, Warnings } from './sync-context.ts'

/** Undefined if the scale cannot be read; this has been reported. */
export async function scaleOf(context: Context, { warnings, mapper }: Surroundings): Promise<Scale | undefined> {
  const {
    object: {
      spec,
      metadata: { namespace },
    },
    client,
  } = context
  const { apiVersion = '', kind = '', name = '' } = spec?.scaleTargetRef ?? {}
  try {
    const scale = await readScale(
      client,
      await targetKind(mapper, apiVersion, kind),
      { namespace, name },
      context.signal,
    )
    context.status.condition({
      type: 'AbleToScale',
      status: true,
      reason: 'SucceededGetScale',
      message: "the HPA controller was able to get the target's current scale",
    })
    return scale
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (!(error instanceof ApiError || error instanceof TypeError)) throw error
    warnings.event('FailedGetScale', text)
    context.status.condition({
      type: 'AbleToScale',
      status: false,
      reason: 'FailedGetScale',
      message: `the HPA controller was unable to get the target's current scale: ${text}`,
    })
    return undefined
  }
}

/** False if the scale cannot be updated; this has been reported. */
export async function rescale(
  context: Context,
  { kind, version }: Scale,
  replicas: number,
  reason: string,
  warnings: Warnings,
): Promise<boolean> {
  const {
    object: {
      spec,
      metadata: { namespace },
    },
    client,
    signal,
    status,
  } = context
  const key = { namespace, name: spec?.scaleTargetRef.name ?? '' }
  try {
    let resourceVersion = version
    for (let tries = 1; ; tries++) {
      try {
        await client.patch(
          kind,
          key,
          { type: 'merge', patch: { metadata: { resourceVersion }, spec: { replicas } } },
          { subresource: 'scale', signal },
        )
        break
      } catch (error) {
        if (!isConflict(error) || tries === 5) throw error
        resourceVersion = (await readScale(client, kind, key, signal)).version
      }
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    warnings.event('FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${error.message}`)
    status.condition({
      type: 'AbleToScale',
      status: false,
      reason: 'FailedUpdateScale',
      message: `the HPA controller was unable to update the target scale: ${error.message}`,
    })
    return false
  }
  status.condition({
    type: 'AbleToScale',
    status: true,
    reason: 'SucceededRescale',
    message: `the HPA controller was able to update the target scale to ${replicas}`,
  })
  return true
}
