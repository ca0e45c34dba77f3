/** Which errors of a write are permanent: a retry fails until somebody changes something. */
import { ApiError, NotOwnedError } from 'coxswain'
import { isNamespaceTerminating } from 'coxswain/api'
import type { Rejection } from '../state/facts.ts'

const reasons: Readonly<Record<number, Rejection['reason']>> = { 400: 'Invalid', 403: 'Forbidden', 422: 'Invalid' }

/**
 * Undefined for every error that is worth a retry, lost races included. An app that is deleted with its namespace has
 * no problem.
 */
export function rejectionOf(error: unknown, kind: string): Rejection | undefined {
  if (error instanceof NotOwnedError) return { reason: 'NotOwned', message: error.message, kind }
  const reason =
    error instanceof ApiError && !isNamespaceTerminating(error) ? reasons[(error as ApiError).code] : undefined
  return reason === undefined ? undefined : { reason, message: (error as ApiError).message, kind }
}
