/** What to do about an error that is not that of one controller: of the caches, or of a task. */
import type { Access } from '../controller/access.ts'
import { controllerAccess } from '../controller/controller-access.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { remedyOf } from '../controller/remedy.ts'

/** Undefined: there is no advice. `access`: that of tasks. */
export function operatorRemedy(
  error: unknown,
  controllers: readonly ControllerDefinition[],
  access: readonly Access[] = [],
): string | undefined {
  return remedyOf(error, {
    who: 'the operator',
    access: [...controllers.flatMap(controllerAccess), ...access],
    declare: (verb, target) => `add { kind: ${target}, verbs: ['${verb}'] } to access of the operator`,
  })
}
