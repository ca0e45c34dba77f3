import { describe, expect, it } from 'vitest'
import { codeFrame } from './code-frame.ts'

const source = ['one', 'two', 'three', '\tfour(4)', 'five', 'six', 'seven', 'eight', ''].join('\n')

describe('code frames', () => {
  it('code frames have three lines before and after the place, and a caret below it', () => {
    expect(codeFrame(source, 4, 2)).toEqual([
      '  1 | one',
      '  2 | two',
      '  3 | three',
      '> 4 |   four(4)',
      '    |   ^',
      '  5 | five',
      '  6 | six',
      '  7 | seven',
    ])
  })

  it('code frames end where the source does, with numbers of one width', () => {
    expect(codeFrame(source, 1, 3).slice(0, 2)).toEqual(['> 1 | one', '    |   ^'])
    expect(codeFrame(source, 8, 1).at(-1)).toBe('    | ^')
    const long = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\r\n')
    expect(codeFrame(long, 9, 1)).toContain('>  9 | line 9')
    expect(codeFrame(long, 9, 1).at(-1)).toBe('  12 | line 12')
  })

  it('code frames show the part of a long line that has the place', () => {
    const [line = '', caret = ''] = codeFrame(`${'a'.repeat(5000)}!${'b'.repeat(5000)}`, 1, 5001)
    expect(line).toHaveLength('> 1 | '.length + 100)
    expect(line[caret.indexOf('^')]).toBe('!')
  })

  it('code frames are empty for a source that has no such place', () => {
    expect(codeFrame(source, 40, 1)).toEqual([])
    expect(codeFrame(source, 1, 40)).toEqual([])
  })
})
