/** The namespaces of an operator, and the labels of all its manifests. */
import type { OperatorDefinition } from '../manager/operator-definition.ts'

export interface InstallScope {
  /** The namespace in which the operator runs. */
  readonly namespace: string
  /** The namespaces that it watches. Empty: all. */
  readonly namespaces: readonly string[]
}

export function installScopeOf(
  { name, defaults = {} }: OperatorDefinition,
  given: { readonly [Field in keyof InstallScope]?: InstallScope[Field] | undefined },
): InstallScope {
  const listed = (defaults['namespaces'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  return { namespace: given.namespace ?? `${name}-system`, namespaces: given.namespaces ?? listed }
}

/** The selector of the operator's pods. The same in every version. */
export function operatorSelector({ name }: OperatorDefinition): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name, 'app.kubernetes.io/component': 'operator' }
}

export function operatorLabels(definition: OperatorDefinition): Readonly<Record<string, string>> {
  return {
    ...operatorSelector(definition),
    ...(definition.version === undefined ? {} : { 'app.kubernetes.io/version': definition.version }),
  }
}
