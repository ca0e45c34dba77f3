/** Validation of paths in containers and volumes. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'

export function hasBackstep(path: string): boolean {
  return path === '..' || path.startsWith('../') || path.endsWith('/..') || path.includes('/../')
}

export function checkNoBackstep(errors: FieldError[], field: string, path: string): void {
  if (hasBackstep(path)) errors.push(fieldError.invalid(field, path, "must not contain '..'"))
}

/** A relative path without `..`. */
export function checkDescendingPath(errors: FieldError[], field: string, path: string): void {
  if (path.startsWith('/')) errors.push(fieldError.invalid(field, path, 'must be a relative path'))
  checkNoBackstep(errors, field, path)
}

/** A file in a volume: names that start with two dots are reserved for the volume plugin. */
export function checkVolumeFile(errors: FieldError[], field: string, path: string): void {
  checkDescendingPath(errors, field, path)
  if (path.startsWith('..') && !path.startsWith('../')) {
    errors.push(fieldError.invalid(field, path, "must not start with '..'"))
  }
}
