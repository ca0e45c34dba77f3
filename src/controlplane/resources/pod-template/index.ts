/** PodTemplate: nothing but a template. */
import type { FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindRules } from '../kind-rules.ts'
import { checkPodTemplate, defaultPodTemplate, templateWarnings } from '../shared/pod-template.ts'
import { structOf } from '../shared/values.ts'

function validate(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  checkPodTemplate(errors, 'template', structOf(object as unknown as JsonObject, 'template'))
  return errors
}

export const podTemplate: KindRules = {
  default: (object) => defaultPodTemplate(object as unknown as JsonObject),
  validate,
  validateUpdate: validate,
  warnings: (object, old) => {
    const changed = old === undefined || object.metadata.generation !== old.metadata.generation
    return changed ? templateWarnings(object.template, 'template') : []
  },
}
