/** Finds and runs the command. A failure becomes one line and an exit code: 0 done, 1 failed, 2 wrong usage. */
import { packageVersion } from '../client/user-agent.ts'
import { asksForHelp, commandHelp, generalHelp, parseArguments, UsageError, type Command, type Io } from './command.ts'
import { demoCommand } from './demo-command.ts'
import { exploreCommand } from './explore-command.ts'
import { manifestsCommand } from './manifests-command.ts'
import { planCommand } from './plan-command.ts'
import { runCommand } from './run-command.ts'
import { serverCommand } from './server-command.ts'

const commands: readonly Command[] = [
  demoCommand,
  serverCommand,
  runCommand,
  planCommand,
  exploreCommand,
  manifestsCommand,
]

export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io)
  } catch (error) {
    io.error(`coxswain: ${error instanceof Error ? error.message : String(error)}`)
    return error instanceof UsageError ? 2 : 1
  }
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
