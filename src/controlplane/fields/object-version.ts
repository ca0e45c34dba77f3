/** Objects in the other API versions through which their fields are owned. */
import type { KubeObject } from '../../api/object.ts'
import type { TrackContext, VersionedObject } from './context.ts'
import { ConversionError } from './typed-value-error.ts'
import { validateTyped } from './validate.ts'

/**
 * The object in an API version; undefined if that version is not served. Throws a {@link ConversionError} if it cannot
 * be converted; `task` is the prefix of the message.
 */
export function inVersion(
  object: KubeObject,
  apiVersion: string,
  context: TrackContext,
  task = '',
): VersionedObject | undefined {
  if (apiVersion === context.apiVersion) return { object, shape: context.shape }
  return converted(object, apiVersion, context, task)
}

/** Same as {@link inVersion}, for a version other than that of the request. */
export function converted(
  object: KubeObject,
  apiVersion: string,
  context: TrackContext,
  task: string,
): VersionedObject | undefined {
  try {
    const result = context.convert?.(object, apiVersion)
    const problem = result?.unchecked === true ? validateTyped(result.shape, result.object) : undefined
    if (problem !== undefined) throw new ConversionError(problem)
    return result
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    throw new ConversionError(task + error.message)
  }
}
