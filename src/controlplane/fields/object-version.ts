/** Objects in the other API versions through which they are owned. */
import type { KubeObject } from '../../api/object.ts'
import type { TrackContext, VersionedObject } from './context.ts'
import { ConversionError } from './typed-value-error.ts'
import { validateTyped } from './validate.ts'

/**
 * The object in an API version; undefined when that version is not served.
 * Throws a {@link ConversionError} when the object does not fit it; `task` says what was tried.
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

/** As {@link inVersion}, of an object that is in another version than the request's. */
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
