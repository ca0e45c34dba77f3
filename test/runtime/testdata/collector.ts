/** The garbage collector as a program, as in kube-controller-manager. */
import { run } from '../../../src/operator/run-operator.ts'
import { builtinControllers } from '../../../src/controllers/index.ts'

await run({ name: 'collector', ...builtinControllers(['garbage-collector-controller']) })
