/** All scripts. */
import { commands } from './commands.ts'
import type { Script } from './script.ts'
import { verbs } from './verbs.ts'

export const scripts: readonly Script[] = [verbs, ...commands]
