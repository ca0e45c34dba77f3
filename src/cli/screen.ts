/**
 * The output of a long-running command: lines that scroll, and on a terminal a footer that is kept up to date. Without
 * a terminal there is no footer.
 */
import type { Io } from './command.ts'

/** The SGR code: `\x1b[1m`. */
export type Style = 'plain' | 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

const codes: Readonly<Record<Style, string>> = {
  plain: '',
  bold: '1',
  dim: '2',
  red: '31',
  green: '32',
  yellow: '33',
  cyan: '36',
}

export interface StyledLine {
  readonly text: string
  readonly style?: Style | undefined
}

export class Screen {
  readonly #io: Io
  readonly #stopListening: (() => void) | undefined
  #footer: readonly StyledLine[] = []
  /** The footer as printed, without styles. */
  #shown: readonly string[] = []

  constructor(io: Io) {
    this.#io = io
    this.#stopListening = io.terminal?.onResize(() => this.#draw())
  }

  /** Whether there is a footer. */
  get isLive(): boolean {
    return this.#io.terminal !== undefined
  }

  /** The width in characters; infinite for a pipe. */
  get width(): number {
    return this.#io.terminal?.size().columns ?? Infinity
  }

  print(...lines: readonly StyledLine[]): void {
    const { terminal } = this.#io
    if (terminal === undefined) for (const line of lines) this.#io.out(this.#styled(line))
    else this.#draw(lines)
  }

  /** Replaces the footer. Lines that do not fit are dropped. */
  footer(lines: readonly StyledLine[]): void {
    this.#footer = lines
    this.#draw()
  }

  /** Removes the footer; printed lines stay. */
  end(): void {
    this.#stopListening?.()
    this.footer([])
  }

  #draw(lines: readonly StyledLine[] = []): void {
    const { terminal } = this.#io
    if (terminal === undefined) return
    const { columns, rows } = terminal.size()
    // A terminal that became narrower has wrapped the old footer.
    const height = this.#shown.reduce((sum, { length }) => sum + Math.max(1, Math.ceil(length / columns)), 0)
    const erase = height === 0 ? '' : `\r\x1b[${height}A\x1b[J`
    const footer = this.#footer
      .slice(0, Math.max(0, rows - 2))
      .map((line) => ({ ...line, text: truncateText(line.text, columns - 1) }))
    this.#shown = footer.map(({ text }) => text)
    terminal.write(erase + [...lines, ...footer].map((line) => `${this.#styled(line)}\n`).join(''))
  }

  #styled({ text, style = 'plain' }: StyledLine): string {
    return this.#io.colours === true && style !== 'plain' ? `\x1b[${codes[style]}m${text}\x1b[0m` : text
  }
}

export function truncateText(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

/** Lines of at most this width, cut at spaces. Those after the first are indented by four more than the text. */
export function wrapText(text: string, width: number): readonly string[] {
  const most = Math.max(1, width)
  const indent = text.length - text.trimStart().length
  const hanging = ' '.repeat(Math.min(indent + 4, most >> 1))
  const lines: string[] = []
  let rest = text
  while (rest.length > most) {
    const space = rest.lastIndexOf(' ', most)
    const end = space > Math.max(indent, hanging.length) ? space : most
    lines.push(rest.slice(0, end))
    rest = hanging + rest.slice(end).trimStart()
  }
  return [...lines, rest]
}
