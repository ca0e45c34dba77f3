/** The process around the command line: arguments, streams, signals, exit code. */
import type { Io } from './command.ts'
import { run } from './run.ts'

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
  })
}

const io: Io = {
  out: (line) => void process.stdout.write(`${line}\n`),
  error: (line) => void process.stderr.write(`${line}\n`),
  stopped: stopSignal(),
}

void run(process.argv.slice(2), io).then((code) => process.exit(code))
