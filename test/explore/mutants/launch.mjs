// Explores one mutant in this process: `launch.mjs MUTANT`, the mutant as JSON. See explore-mutant.ts.
import { register } from 'node:module'

register('../../../scripts/ts-hooks.mjs', import.meta.url)
// Registered last, called first.
register('./mutant-hooks.mjs', import.meta.url, { data: JSON.parse(process.argv[2]) })
await import('./explore-mutant.ts')
