/** What was read about an operator: what its module declares, beside what the cluster has. */
import type { KubeObject } from '../api/object.ts'
import type { Kind } from '../schema/kind.ts'
import type { Examined } from './examined.ts'

/** What the default export of an operator's module has, as far as it matters here. */
export interface OperatorToExamine {
  readonly name: string
  readonly defaults?: Readonly<Record<string, string>> | undefined
  readonly controllers: readonly { readonly kind: Kind; readonly sources: readonly { readonly kind: Kind }[] }[]
  manifests(this: void, options?: { readonly namespace?: string | undefined }): Promise<Manifests>
}

interface Manifests {
  readonly objects: readonly KubeObject[]
}

/** An object of the manifests, and that of the cluster. `actual` undefined: it could not be read. */
export interface Declared {
  readonly kind: Kind
  readonly wanted: KubeObject
  readonly actual: Examined | 'absent' | undefined
}

export interface DeclaredLease {
  readonly namespace: string
  readonly name: string
  /** Undefined: it could not be read. */
  readonly actual: Examined | 'absent' | undefined
}

export interface DeclaredWebhooks extends Declared {
  /** Services that webhooks call and that have no ready endpoint, as `namespace/name`. */
  readonly withoutEndpoints: readonly string[]
}

/** A permission that the operator declares and does not have. */
export interface MissingPermission {
  /** `list deployments.apps`, `get leases.coordination.k8s.io/notes in notes-system`. */
  readonly text: string
}

export interface OperatorFacts {
  readonly operator: Pick<OperatorToExamine, 'name'>
  /** As in commands: the path of the module. */
  readonly module: string
  readonly namespace: string
  readonly now: number
  readonly definitions: readonly Declared[]
  /** Kinds that others define, and the server does not serve. */
  readonly unserved: readonly Kind[]
  /** Whose permissions were reviewed: `the service account notes-system/notes-operator`, `you`. */
  readonly account: string
  readonly missing: readonly MissingPermission[]
  readonly deployment: Declared | undefined
  readonly leases: readonly DeclaredLease[]
  readonly webhooks: readonly DeclaredWebhooks[]
}

/** The command that installs what the module declares. */
export function installs({ module, operator, namespace }: OperatorFacts): string {
  const option = namespace === `${operator.name}-system` ? '' : ` --namespace ${namespace}`
  return `coxswain manifests ${module}${option} | kubectl apply --server-side --force-conflicts -f -`
}
