/** The controller `copies` as a program. */
import { run } from '../../../src/operator/run-operator.ts'
import { copies } from './copies.ts'

await run({ name: 'copier', controllers: [copies] })
