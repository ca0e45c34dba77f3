import { describe, expect, it } from 'vitest'
import { fieldErrorMessage, maxErrors } from './field-error.ts'
import { labelSelectorFrom, validateLabels, validateLabelSelector } from './label-selector-object.ts'

describe('labelSelectorFrom', () => {
  it('labelSelectorFrom matches nothing without a selector and everything with an empty one', () => {
    expect(labelSelectorFrom(undefined).matches({ a: 'b' })).toBe(false)
    expect(labelSelectorFrom(null).isEmpty).toBe(false)
    expect(labelSelectorFrom({}).matches(undefined)).toBe(true)
  })

  it('labelSelectorFrom asks for labels and expressions together', () => {
    const selector = labelSelectorFrom({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['b', 'a'] },
        { key: 'old', operator: 'DoesNotExist' },
        { key: 'env', operator: 'NotIn', values: ['test'] },
        { key: 'team', operator: 'Exists' },
      ],
    })
    expect(selector.toString()).toBe('app=web,env notin (test),!old,team,tier in (a,b)')
    expect(selector.matches({ app: 'web', tier: 'a', team: '' })).toBe(true)
    expect(selector.matches({ app: 'web', tier: 'c', team: '' })).toBe(false)
  })

  it('labelSelectorFrom refuses what validation would have refused', () => {
    const expression = (operator: string, values?: string[]) => () =>
      labelSelectorFrom({ matchExpressions: [{ key: 'a', operator, ...(values === undefined ? {} : { values }) }] })
    expect(expression('Foo')).toThrow('"Foo" is not a valid label selector operator')
    expect(expression('In')).toThrow(
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    )
    expect(expression('Exists', ['x'])).toThrow(
      'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    )
  })
})

describe('validateLabelSelector', () => {
  it('validateLabelSelector accepts a missing selector', () => {
    expect(validateLabelSelector(undefined, 'spec.selector')).toEqual([])
  })

  it('validateLabelSelector names every fault', () => {
    const errors = validateLabelSelector(
      {
        matchLabels: { a: '-' },
        matchExpressions: [
          { key: '', operator: 'In' },
          { key: 'b', operator: 'Exists', values: ['x'] },
          { key: 'c', operator: 'Foo', values: ['_'] },
        ],
      },
      'spec.selector',
    )
    const messages = errors.map(fieldErrorMessage)
    expect(messages.map((message) => message.slice(0, 75))).toEqual([
      'spec.selector.matchLabels: Invalid value: "-": a valid label must be an empty string'.slice(0, 75),
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In'".slice(
        0,
        75,
      ),
      'spec.selector.matchExpressions[0].key: Invalid value: "": name part must be non-empty'.slice(0, 75),
      'spec.selector.matchExpressions[0].key: Invalid value: "": name part must consist'.slice(0, 75),
      'spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator`'.slice(0, 75),
      'spec.selector.matchExpressions[2].operator: Invalid value: "Foo": not a valid selector operator'.slice(0, 75),
      'spec.selector.matchExpressions[2].values[0]: Invalid value: "_": a valid label'.slice(0, 75),
    ])
  })
})

it('validateLabels stops when it has found more errors than a response shows', () => {
  const labels = Object.fromEntries(Array.from({ length: 2 * maxErrors }, (_, i) => [`k${i}`, '!']))
  expect(validateLabels(labels, 'metadata.labels')).toHaveLength(maxErrors + 1)
})
