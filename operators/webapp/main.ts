/**
 * The operator as a program, with the flags, variables and signals of docs/reference/manager.md, and `--watch-secrets`,
 * which needs the roles of deploy/webapp-watching-secrets.
 */
import operator from './operator.ts'
import watchingSecrets from './watching-secrets.ts'

const flag = '--watch-secrets'
const args = process.argv.slice(2)
const chosen = args.includes(flag) ? watchingSecrets : operator
await chosen.run({ args: args.filter((arg) => arg !== flag) })
