/** The commands, in the order of the help. */
import type { Command } from './command.ts'
import { completionCommand } from './completion-command.ts'
import { demoCommand } from './demo-command.ts'
import { doctorCommand } from './doctor-command.ts'
import { exploreCommand } from './explore-command.ts'
import { manifestsCommand } from './manifests-command.ts'
import { planCommand } from './plan-command.ts'
import { runCommand } from './run-command.ts'
import { serverCommand } from './server-command.ts'

export const commands: readonly Command[] = [
  demoCommand,
  serverCommand,
  runCommand,
  planCommand,
  doctorCommand,
  exploreCommand,
  manifestsCommand,
  completionCommand(() => commands),
]
