/** RuntimeClass: its handler is immutable. */
import type { FieldError } from '../../../api/field-error.ts'
import { checkLabel } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { metadataMark } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { deprecatedLabel } from '../shared/node-labels.ts'
import { checkImmutable, duplicateStruct, reject } from '../shared/errors.ts'
import { internalJson } from '../shared/internal-json.ts'
import { checkLabels } from '../shared/label-selector.ts'
import { checkRequirements } from '../shared/pod-spec/resources.ts'
import { checkTolerations } from '../shared/pod-spec/scheduling.ts'
import { roundResourceList } from '../shared/resource-list.ts'
import { entries, items, struct, text } from '../shared/values.ts'

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const handler = text(object.handler)
  reject(errors, 'handler', handler, checkLabel(handler))
  const overhead = struct(object.overhead)
  if (overhead?.podFixed !== undefined) {
    checkRequirements(errors, 'overhead', { limits: overhead.podFixed }, new Set())
  }
  const scheduling = struct(object.scheduling)
  checkLabels(errors, 'scheduling.nodeSelector', scheduling?.nodeSelector)
  const tolerations = items(scheduling?.tolerations)
  checkTolerations(errors, 'scheduling.tolerations', tolerations)
  const seen = new Set<string>()
  for (const [i, toleration] of tolerations.entries()) {
    const shown = internalJson('Toleration', toleration)
    const key = JSON.stringify({ ...shown, TolerationSeconds: null })
    if (seen.has(key)) errors.push(duplicateStruct(`scheduling.tolerations[${i}]`, shown))
    seen.add(key)
  }
  return errors
}

export const runtimeClass: KindStrategy = {
  default: (object) => roundResourceList(struct(object.overhead)?.podFixed),
  validate,
  validateUpdate: (object, old) => {
    const errors: FieldError[] = [...validate(object), metadataMark('plainChange')]
    checkImmutable(errors, 'handler', text(object.handler), text(old.handler))
    return errors
  },
  warnings: (object) =>
    entries(struct(object.scheduling)?.nodeSelector).flatMap(([key]) => {
      const message = deprecatedLabel(key)
      return message === undefined ? [] : [`scheduling.nodeSelector: ${message}`]
    }),
}
