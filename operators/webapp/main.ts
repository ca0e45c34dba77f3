/** The operator as a program: flags, environment and signals as docs/reference/manager.md tells. */
import operator from './operator.ts'

await operator.run()
