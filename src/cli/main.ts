/** The process around the command line: arguments, streams, signals, exit code. */
import { printsColours } from './colours.ts'
import type { Io, Terminal } from './command.ts'
import { runCommandLine } from './command-line.ts'

/** The first signal asks to stop, the second ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false
    const onSignal = () => {
      if (asked) process.exit(1)
      asked = true
      resolve()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
    // The reader of the output has gone, as with `head`.
    process.stdout.on('error', () => resolve())
  })
}

function terminal(): Terminal | undefined {
  const { stdout } = process
  if (!stdout.isTTY || process.env['TERM'] === 'dumb') return undefined
  return {
    // Some terminals do not report their width.
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    write: (text) => void stdout.write(text),
    onResize: (listener) => {
      stdout.on('resize', listener)
      return () => void stdout.off('resize', listener)
    },
  }
}

const io: Io = {
  out: (line) => void process.stdout.write(`${line}\n`),
  error: (line) => void process.stderr.write(`${line}\n`),
  status: process.stderr.isTTY ? (line) => void process.stderr.write(`\r\x1b[2K${line}`) : undefined,
  stopped: stopSignal(),
  terminal: terminal(),
  colours: printsColours(process.env, process.stdout),
}

void runCommandLine(process.argv.slice(2), io).then((code) => process.exit(code))
