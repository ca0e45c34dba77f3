/** Where an operator is put, and the labels that all of its manifests have. */
import type { OperatorDefinition } from '../manager/operator-definition.ts'

export interface InstallScope {
  /** Where the operator itself is. */
  readonly namespace: string
  /** Where it looks. None: everywhere. */
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

/** What finds the operator's pods. Never changes with a version. */
export function operatorSelector({ name }: OperatorDefinition): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name, 'app.kubernetes.io/component': 'operator' }
}

export function operatorLabels(definition: OperatorDefinition): Readonly<Record<string, string>> {
  return {
    ...operatorSelector(definition),
    ...(definition.version === undefined ? {} : { 'app.kubernetes.io/version': definition.version }),
  }
}
