import { describe, expect, it } from 'vitest'
import type { Terminal } from './command.ts'
import { truncateText, wrapText, Screen } from './screen.ts'

const escape = '\x1b'
const sequence = `${escape}\\[(\\d*)([A-Za-z])`
const parts = new RegExp(`${sequence}|[\r\n]|[^${escape}\r\n]+`, 'g')

/**
 * A terminal that implements the sequences that we use: text, line ends, carriage returns, cursor up, erase to the end,
 * and wrapping.
 */
class FakeTerminal implements Terminal {
  columns = 20
  rows = 10
  lines: string[] = ['']
  #column = 0
  #listener: (() => void) | undefined

  size = () => ({ columns: this.columns, rows: this.rows })
  onResize = (listener: () => void) => {
    this.#listener = listener
    return () => (this.#listener = undefined)
  }

  get isListenedTo(): boolean {
    return this.#listener !== undefined
  }

  /** Lines that are longer than the new width wrap, as in terminals. */
  resize(columns: number): void {
    this.columns = columns
    // The cursor, which is at the end, moves with the wrapped lines.
    this.lines = this.lines.flatMap((line) =>
      line === '' ? [''] : (line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? []),
    )
    this.#row = this.lines.length - 1
    this.#listener?.()
  }

  write = (text: string) => {
    for (const part of text.match(parts) ?? []) this.#take(part)
  }

  #take(part: string): void {
    const [, count = '', code] = new RegExp(`^${sequence}$`).exec(part) ?? []
    if (code === 'A') this.#row -= Number(count)
    else if (code === 'J')
      this.lines = [...this.lines.slice(0, this.#row), (this.lines[this.#row] ?? '').slice(0, this.#column)]
    else if (part === '\r') this.#column = 0
    else if (part === '\n') this.#newLine()
    else if (code === undefined) for (const char of part) this.#put(char)
  }

  #row = 0
  #put(char: string): void {
    if (this.#column === this.columns) this.#newLine()
    this.lines[this.#row] = (this.lines[this.#row] ?? '').slice(0, this.#column).padEnd(this.#column) + char
    this.#column++
  }

  #newLine(): void {
    this.#row++
    this.#column = 0
    this.lines[this.#row] ??= ''
  }
}

function started(terminal?: FakeTerminal, colours = false): { screen: Screen; out: string[] } {
  const out: string[] = []
  return {
    screen: new Screen({
      out: (line) => out.push(line),
      error: () => undefined,
      stopped: new Promise(() => undefined),
      terminal,
      colours,
    }),
    out,
  }
}

describe('a screen', () => {
  it('a screen keeps the footer below what is printed', () => {
    const terminal = new FakeTerminal()
    const { screen } = started(terminal)
    screen.print({ text: 'one' })
    screen.footer([{ text: 'a' }, { text: 'b' }])
    screen.print({ text: 'two' }, { text: 'three' })
    expect(terminal.lines).toEqual(['one', 'two', 'three', 'a', 'b', ''])
    screen.footer([{ text: 'c' }])
    expect(terminal.lines).toEqual(['one', 'two', 'three', 'c', ''])
  })

  it('a screen takes it away at the end, also when the user has typed into it', () => {
    const terminal = new FakeTerminal()
    const { screen } = started(terminal)
    screen.print({ text: 'one' })
    screen.footer([{ text: 'a' }])
    terminal.write('^C')
    screen.end()
    expect(terminal.lines).toEqual(['one', ''])
    expect(terminal.isListenedTo).toBe(false)
  })

  it('a screen cuts the footer to the width and the height, and lets what is printed wrap', () => {
    const terminal = new FakeTerminal()
    terminal.rows = 4
    const { screen } = started(terminal)
    screen.footer(['x'.repeat(30), 'b', 'c', 'd'].map((text) => ({ text })))
    screen.print({ text: 'y'.repeat(25) })
    expect(terminal.lines).toEqual(['y'.repeat(20), 'yyyyy', `${'x'.repeat(18)}…`, 'b', ''])
    screen.print({ text: 'z' })
    expect(terminal.lines).toEqual(['y'.repeat(20), 'yyyyy', 'z', `${'x'.repeat(18)}…`, 'b', ''])
  })

  it('a screen gives colours only where they are liked', () => {
    const seen: string[] = []
    for (const colours of [false, true]) {
      const terminal = new FakeTerminal()
      terminal.write = (text) => void seen.push(text)
      started(terminal, colours).screen.print({ text: 'x', style: 'red' })
    }
    expect(seen).toEqual(['x\n', '\x1b[31mx\x1b[0m\n'])
  })

  it('a screen without a terminal gives colours if they are asked for', () => {
    const { screen, out } = started(undefined, true)
    screen.print({ text: 'x', style: 'green' }, { text: 'y' })
    expect(out).toEqual(['\x1b[32mx\x1b[0m', 'y'])
  })

  it('a screen without a terminal is only what is printed', () => {
    const { screen, out } = started()
    screen.print({ text: 'x'.repeat(300), style: 'red' })
    screen.footer([{ text: 'a' }])
    screen.end()
    expect(out).toEqual(['x'.repeat(300)])
    expect(screen.width).toBe(Infinity)
    expect(screen.isLive).toBe(false)
    expect(truncateText('abc', 2)).toBe('a…')
  })
})

describe('wrapped text', () => {
  it('wrapped text is cut at spaces, and indented from its second line on', () => {
    expect(wrapText('one two', 7)).toEqual(['one two'])
    expect(wrapText('  one two three four', 14)).toEqual(['  one two', '      three', '      four'])
  })

  it('wrapped text without spaces is cut at the width, however narrow it is', () => {
    expect(wrapText('abcdefgh', 4)).toEqual(['abcd', '  ef', '  gh'])
    expect(wrapText('abc', 1)).toEqual(['a', 'b', 'c'])
    expect(wrapText('ab', 0)).toEqual(['a', 'b'])
  })
})

describe('a terminal whose size changes', () => {
  it('a terminal whose size changes shows the footer once, as wide as it is now', () => {
    const terminal = new FakeTerminal()
    const { screen } = started(terminal)
    screen.print({ text: 'one' })
    screen.footer([{ text: 'x'.repeat(30) }, { text: 'b' }])
    for (const columns of [8, 40]) {
      terminal.resize(columns)
      expect(terminal.lines).toEqual([
        'one',
        `${'x'.repeat(Math.min(30, columns - 2))}${columns < 30 ? '…' : ''}`,
        'b',
        '',
      ])
    }
    expect(screen.width).toBe(40)
  })
})
