/** The error for an apply without force that would change fields of other managers. */
import { apiError, type ApiError, type StatusCause } from '../../api/status.ts'
import { pathsOf } from './field-set.ts'
import { goFloat, goNumber } from '../../api/go-format.ts'
import { ownerText } from './owners.ts'
import type { Conflict } from './change-effect.ts'

/**
 * Causes and message are sorted by owner id, and by path for each owner. `fromLive`: this request derived the owners
 * from the live object, because it had no managedFields. Upstream then prints numbers in list keys differently.
 */
export function conflictError(conflicts: readonly Conflict[], fromLive: boolean): ApiError {
  const causes: StatusCause[] = []
  const groups: string[] = []
  for (const { owner, fields } of conflicts) {
    const name = ownerText(owner)
    const paths = pathsOf(fields, fromLive ? goNumber : goFloat)
    const message = `conflict with ${name}`
    for (const field of paths) causes.push({ reason: 'FieldManagerConflict', message, field })
    groups.push(`conflicts with ${name}:`, ...paths.map((path) => `- ${path}`))
  }
  const [only] = causes
  const message =
    causes.length === 1 && only !== undefined
      ? `Apply failed with 1 conflict: ${only.message ?? ''}: ${only.field ?? ''}`
      : `Apply failed with ${causes.length} conflicts: ${groups.join('\n')}`
  return apiError.applyConflict(message, causes)
}
