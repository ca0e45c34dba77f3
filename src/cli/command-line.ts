/**
 * Finds and runs the command. A failure becomes one line, the place in the user's code if it comes from there, and an
 * exit code (`commonExitCodes` of `command.ts`).
 */
import { errorText } from '../api/error-text.ts'
import { packageVersion } from '../client/user-agent.ts'
import { placeLines } from '../telemetry/error-place.ts'
import { asksForHelp, commandHelp, generalHelp, parseArguments, UsageError, type Io } from './command.ts'
import { commands } from './commands.ts'

export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io)
  } catch (error) {
    io.error(`coxswain: ${errorText(error)}`)
    if (error instanceof UsageError) return 2
    if (runsModule(args[0])) for (const line of placeLines(error)) io.error(`    ${line}`)
    return 1
  }
}

/** Whether the command runs code of the user. */
function runsModule(name: string | undefined): boolean {
  return commands.find((each) => each.name === name)?.operands?.includes('MODULE') === true
}

async function dispatch([name, ...rest]: readonly string[], io: Io): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    io.out(generalHelp(commands))
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-V') {
    io.out(packageVersion)
    return 0
  }
  const command = commands.find((each) => each.name === name)
  if (command === undefined) throw new UsageError(`there is no command ${JSON.stringify(name)} (see: coxswain --help)`)
  if (asksForHelp(command, rest)) {
    io.out(commandHelp(command))
    return 0
  }
  const { values, operands } = parseArguments(command, rest)
  return await command.run(values, io, operands)
}
