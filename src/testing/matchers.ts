/** Matchers for `expect.extend` of vitest and jest: conditions, events, owned objects, access. */
import { findCondition, type Condition } from '../controller/conditions.ts'
import { controllerOf } from '../controller/owner-references.ts'
import type { LiveObject } from '../api/live-object.ts'
import type { OperatorDefinition } from '../manager/operator-definition.ts'
import type { AccessRecorder } from '../cluster/access-recorder.ts'
import type { SeenEvent } from '../cluster/embedded-handle.ts'

interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

interface WithConditions {
  readonly status?: { readonly conditions?: readonly Readonly<Condition>[] } | undefined
}

export const matchers = {
  /** `expect(app).toHaveCondition('Ready', 'True', 'Applied')` */
  toHaveCondition(
    object: WithConditions,
    type: string,
    status: Condition['status'] = 'True',
    reason?: string,
  ): MatcherResult {
    const conditions = object.status?.conditions ?? []
    const found = findCondition(conditions, type)
    const pass = found?.status === status && (reason === undefined || found.reason === reason)
    const wanted = `${type}=${status}${reason === undefined ? '' : ` (${reason})`}`
    const seen = conditions.map((each) => `${each.type}=${each.status} (${each.reason}): ${each.message}`).join('\n  ')
    return {
      pass,
      message: () => `expected ${pass ? 'no ' : ''}condition ${wanted}; there are:\n  ${seen === '' ? 'none' : seen}`,
    }
  },
  /** `expect(await cluster.events(app)).toIncludeEvent('Normal', 'DeploymentSynced')` */
  toIncludeEvent(events: readonly SeenEvent[], type: string, reason: string, message?: string | RegExp): MatcherResult {
    const fits = (text: string): boolean =>
      message === undefined || (typeof message === 'string' ? text.includes(message) : message.test(text))
    const pass = events.some((event) => event.type === type && event.reason === reason && fits(event.message))
    const seen = events.map((event) => `${event.type} ${event.reason}: ${event.message} (${event.count})`).join('\n  ')
    return {
      pass,
      message: () =>
        `expected ${pass ? 'no ' : ''}event ${type} ` +
        `${reason}${message === undefined ? '' : ` with ${String(message)}`}; there are:\n  ` +
        (seen === '' ? 'none' : seen),
    }
  },
  /** `expect(deployment).toBeControlledBy(app)` */
  toBeControlledBy(object: LiveObject, owner: LiveObject): MatcherResult {
    const controller = controllerOf(object)
    const pass = controller?.uid === owner.metadata.uid
    const is = controller === undefined ? 'nobody' : `${controller.kind} ${controller.name} (${controller.uid})`
    return {
      pass,
      message: () =>
        `expected ${object.metadata.name} ${pass ? 'not ' : ''}to be controlled by ${owner.metadata.name} ` +
        `(${owner.metadata.uid}); its controller is ${is}`,
    }
  },
  /**
   * `expect(cluster.access).toUseExactly(operator)`: every used permission is declared, and every declared permission
   * is used.
   */
  toUseExactly(access: AccessRecorder, operator: OperatorDefinition): MatcherResult {
    const { missing, unused } = access.compare(operator)
    const lines = [
      ...missing.map((each) => `missing: ${each}; declare it: owns, watches, reads or .may()`),
      ...unused.map((each) => `unused: ${each}; the test does not cover it, or it need not be declared`),
    ]
    const pass = lines.length === 0
    return {
      pass,
      message: () =>
        pass
          ? `expected ${operator.name} not to use exactly the permissions that it declares`
          : `${operator.name} does not use exactly the permissions that it declares:\n  ${lines.join('\n  ')}`,
    }
  },
}
