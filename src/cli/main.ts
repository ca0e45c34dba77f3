#!/usr/bin/env node
/** The command line. Exit codes: 0 done, 1 failed, 2 wrong usage. */
import { commandHelp, generalHelp, parse, UsageError, type Command, type Io } from './command.ts'
import { serverCommand } from './server-command.ts'

const commands: readonly Command[] = [serverCommand]

async function main(args: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    io.out(generalHelp(commands))
    return name === undefined ? 2 : 0
  }
  const command = commands.find((each) => each.name === name)
  if (command === undefined) throw new UsageError(`there is no command ${JSON.stringify(name)} (see: coxswain --help)`)
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(commandHelp(command))
    return 0
  }
  return await command.run(parse(command, rest), io)
}

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

main(process.argv.slice(2), io).then(
  (code) => process.exit(code),
  (error: unknown) => {
    io.error(`coxswain: ${error instanceof Error ? error.message : String(error)}`)
    process.exit(error instanceof UsageError ? 2 : 1)
  },
)
