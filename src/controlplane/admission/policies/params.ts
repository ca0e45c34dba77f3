/** The objects of parameters that a binding selects for a request. */
import type { JsonObject } from '../../../api/json.ts'
import { labelSelectorFrom, type LabelSelector } from '../../../api/label-selector-object.ts'
import type { KubeObject } from '../../../api/object.ts'
import { text } from '../../resources/shared/values.ts'

/** The objects of the kind of a policy's parameters, in the version that the policy names. */
export interface ParamObjects {
  readonly isNamespaced: boolean
  /** `namespace` is '' for cluster-scoped kinds. */
  get(namespace: string, name: string): KubeObject | undefined
  list(namespace: string): readonly KubeObject[]
}

/** A policy or binding that cannot be applied to a request. */
export class PolicyConfigurationError extends Error {
  override readonly name = 'PolicyConfigurationError'
}

/**
 * The parameters, one run of the policy for each; undefined: a run without parameters. Throws a
 * {@link PolicyConfigurationError}.
 */
export function paramsFor(
  objects: ParamObjects | undefined,
  reference: JsonObject | undefined,
  namespace: string,
): readonly (KubeObject | undefined)[] {
  if (objects === undefined || reference === undefined) return [undefined]
  const given = text(reference.namespace)
  if (!objects.isNamespaced && given !== '') {
    throw new PolicyConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`')
  }
  const within = objects.isNamespaced ? given || namespace : ''
  if (objects.isNamespaced && within === '') {
    throw new PolicyConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    )
  }
  const found = selected(objects, reference, within)
  if (found.length === 0 && reference.parameterNotFoundAction === 'Deny') {
    throw new PolicyConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction')
  }
  return found
}

function selected(objects: ParamObjects, { name, selector }: JsonObject, namespace: string): readonly KubeObject[] {
  if (text(name) !== '') {
    const object = objects.get(namespace, text(name))
    return object === undefined ? [] : [object]
  }
  const wanted = labelSelectorFrom(selector as LabelSelector | undefined)
  return objects.list(namespace).filter(({ metadata }) => wanted.matches(metadata.labels))
}
