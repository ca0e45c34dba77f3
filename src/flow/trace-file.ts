/**
 * The file format of traces: one line of JSON each, with the format version in every line, so that files can be
 * concatenated and split.
 */
import { traceVersion, type Trace } from './trace.ts'

export function formatTraces(traces: Iterable<Trace>): string {
  return Array.from(traces, (trace) => `${JSON.stringify(trace)}\n`).join('')
}

/** Throws a {@link TraceFileError} for an unknown format. An incomplete last line is ignored. */
export function parseTraces(text: string): readonly Trace[] {
  const lines = text.split('\n')
  const isCut = lines.at(-1) !== ''
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const value = parsed(line)
    if (value === undefined && isCut && index === lines.length - 1) return []
    return [checked(value, index + 1)]
  })
}

export class TraceFileError extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line} of the trace file ${problem}`)
    this.name = 'TraceFileError'
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function checked(value: unknown, line: number): Trace {
  if (typeof value !== 'object' || value === null) throw new TraceFileError(line, 'is no JSON object')
  const { version, id, entries } = value as Partial<Record<keyof Trace, unknown>>
  if (version !== traceVersion) {
    const what = typeof version === 'string' ? `has the version ${version}` : 'has no version'
    throw new TraceFileError(line, `${what}; this program reads ${traceVersion}`)
  }
  if (typeof id !== 'string' || !Array.isArray(entries)) throw new TraceFileError(line, 'lacks an id or entries')
  return value as Trace
}
