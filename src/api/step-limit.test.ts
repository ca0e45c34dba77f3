import { expect, it } from 'vitest'
import { limitSteps, maxSteps, StepLimitExceeded, takeSteps } from './step-limit.ts'

it('steps are counted within a limit only, and nested limits share the outer one', () => {
  takeSteps(10 * maxSteps)
  expect(limitSteps(() => takeSteps(maxSteps))).toBeUndefined()
  const half = () => limitSteps(() => takeSteps(maxSteps / 2 + 1))
  expect(half()).toBeUndefined()
  expect(half()).toBeUndefined()
  expect(() => limitSteps(() => [half(), half()])).toThrow(StepLimitExceeded)
  takeSteps(10 * maxSteps)
})

it('after the limit is exceeded, every step is refused until its end', () => {
  limitSteps(() => {
    expect(() => takeSteps(maxSteps + 1)).toThrow(`validation takes more than ${maxSteps} steps`)
    expect(() => takeSteps(1)).toThrow(StepLimitExceeded)
  })
  expect(limitSteps(() => takeSteps(1))).toBeUndefined()
})
