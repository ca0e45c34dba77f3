/** Finds the command, runs it, turns failures into one line and an exit code: 0 done, 1 failed, 2 wrong usage. */
import { commandHelp, generalHelp, parse, UsageError, type Command, type Io } from './command.ts'
import { serverCommand } from './server-command.ts'

const commands: readonly Command[] = [serverCommand]

export async function run(args: readonly string[], io: Io): Promise<number> {
  try {
    return await runCommand(args, io)
  } catch (error) {
    io.error(`coxswain: ${error instanceof Error ? error.message : String(error)}`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function runCommand([name, ...rest]: readonly string[], io: Io): Promise<number> {
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
