/** Differences that stay, each with its reason. Everything else that differs is mended at its cause. */
import type { Way } from './compare.ts'

export interface Explained {
  readonly scenario: RegExp
  readonly ways: readonly Way[]
  /** Matches the difference as `textOf` writes it. */
  readonly difference: RegExp
  readonly why: string
}

export const explained: readonly Explained[] = []
