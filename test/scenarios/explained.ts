/** Accepted differences, each with its reason. All others must be fixed. */
import type { Way } from './compare.ts'

export interface Explained {
  readonly scenario: RegExp
  readonly ways: readonly Way[]
  /** Matches the text of the difference from `textOf`. */
  readonly difference: RegExp
  readonly why: string
}

export const explained: readonly Explained[] = []
