import { describe, expect, it } from 'vitest'
import { printsColours } from './colours.ts'

const terminal = { isTTY: true, hasColors: () => true }
const black = { isTTY: true, hasColors: () => false }
const pipe = {}

describe('colours', () => {
  it.each<[string, Record<string, string>, object, boolean]>([
    ['a terminal that has them', {}, terminal, true],
    ['a terminal that has none', {}, black, false],
    ['a pipe', {}, pipe, false],
    ['a terminal with NO_COLOR', { NO_COLOR: '1' }, terminal, false],
    ['a terminal with an empty NO_COLOR', { NO_COLOR: '' }, terminal, true],
    ['a dumb terminal', { TERM: 'dumb' }, terminal, false],
    ['a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, pipe, true],
    ['a pipe with an empty FORCE_COLOR', { FORCE_COLOR: '' }, pipe, true],
    ['a terminal with FORCE_COLOR=0', { FORCE_COLOR: '0' }, terminal, false],
    ['both', { FORCE_COLOR: '1', NO_COLOR: '1' }, pipe, true],
  ])('colours are printed, or not: %s', (_name, env, output, expected) => {
    expect(printsColours(env, output)).toBe(expected)
  })
})
