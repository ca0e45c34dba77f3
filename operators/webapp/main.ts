/** The operator as a program, with the flags, variables and signals of docs/reference/manager.md. */
import operator from './operator.ts'

await operator.run()
