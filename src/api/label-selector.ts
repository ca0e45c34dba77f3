/**
 * Label selectors in the query syntax: `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>5,j<3`.
 * Selectors written as objects are in `label-selector-object.ts`.
 */
import { requirementText, testOf, type LabelRequirement, type Labels, type Test } from './label-requirement.ts'
import { parseRequirements } from './label-selector-parser.ts'

export type { LabelRequirement, Labels } from './label-requirement.ts'

/** Selects objects by their labels. Immutable; matching is cheap. */
export interface Selector {
  matches(labels: Labels | undefined): boolean
  /** True if there are no requirements: every object matches. */
  readonly isEmpty: boolean
  /** All must match. Sorted by key. */
  readonly requirements: readonly LabelRequirement[]
  /** The canonical text, which parses to an equal selector. */
  toString(): string
}

export const everything: Selector = {
  matches: () => true,
  isEmpty: true,
  requirements: [],
  toString: () => '',
}

/** Matches no object: the meaning of an undefined LabelSelector object. */
export const nothing: Selector = {
  matches: () => false,
  isEmpty: false,
  requirements: [],
  toString: () => '',
}

/** Parses the query syntax. Throws a 400 with upstream's message if the text is not a selector. */
export function parseLabelSelector(text: string): Selector {
  return text === '' ? everything : selectorFromRequirements(parseRequirements(text))
}

/** A selector of valid requirements. */
export function selectorFromRequirements(requirements: readonly LabelRequirement[]): Selector {
  if (requirements.length === 0) return everything
  const sorted = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const tests = sorted.map(testOf)
  const [first, second] = tests as [Test, Test | undefined]
  return {
    matches: second === undefined ? first : allOf(tests),
    isEmpty: false,
    requirements: sorted,
    toString: () => sorted.map(requirementText).join(','),
  }
}

function allOf(tests: readonly Test[]): Test {
  return (labels) => {
    for (const test of tests) if (!test(labels)) return false
    return true
  }
}
