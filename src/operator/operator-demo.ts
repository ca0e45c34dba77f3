/** The `demo` export of an operator's module, for `coxswain demo`: sample objects and commands to try. */

/** A whole manifest, of any kind that the cluster serves. */
export interface Sample {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name?: string; readonly namespace?: string }
  readonly [field: string]: unknown
}

export interface OperatorDemo {
  /** Applied before the operator starts. The demo waits until the first one is settled. Default: none. */
  readonly samples?: readonly Sample[] | undefined
  /**
   * The state of the first sample in one word when it is settled, for example `Running`; undefined until then. Default:
   * `Ready` when its condition Ready is True.
   */
  readonly settled?: ((sample: object) => string | undefined) | undefined
  /** Commands for the user to try, each with its purpose. Default: none. */
  readonly tries?: readonly (readonly [purpose: string, command: string])[] | undefined
}

/** A demo with all defaults filled in. */
export type CompleteDemo = { readonly [Field in keyof OperatorDemo]-?: NonNullable<OperatorDemo[Field]> }

export function demoOf(module: object): CompleteDemo {
  const { samples = [], settled = isReady, tries = [] } = (module as { readonly demo?: OperatorDemo }).demo ?? {}
  return { samples, settled, tries }
}

function isReady(sample: {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}): string | undefined {
  const ready = sample.status?.conditions?.find(({ type }) => type === 'Ready')
  return ready?.status === 'True' ? 'Ready' : undefined
}
