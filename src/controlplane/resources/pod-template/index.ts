/** PodTemplate: only a template. */
import type { FieldError } from '../../../api/field-error.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkPodTemplate, defaultPodTemplate, templateWarnings } from '../shared/pod-template.ts'
import { structOf } from '../shared/values.ts'
import type { WriteContext } from '../../contract/resource.ts'

function validate(object: KubeObject, { decoded }: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  checkPodTemplate(errors, 'template', structOf(object, 'template'), decoded?.empty)
  return errors
}

export const podTemplate: KindStrategy = {
  default: (object) => defaultPodTemplate(object),
  validate,
  validateUpdate: (object, _old, context) => validate(object, context),
  warnings: (object, old) => {
    const changed = old === undefined || object.metadata.generation !== old.metadata.generation
    return changed ? templateWarnings(object.template, 'template') : []
  },
}
