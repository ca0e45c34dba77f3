/** The operator as a program: flags, environment and signals as docs/manager.md tells. */
import operator from './operator.ts'

await operator.run()
