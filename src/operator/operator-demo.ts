/** What a module says, beside its operator, for `coxswain demo`: something to look at, and things to try. */
/** A whole manifest. */
export interface Sample {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name?: string; readonly namespace?: string }
}

export interface OperatorDemo {
  /** Applied once the operator runs. */
  readonly samples: readonly Sample[]
  /** What a sample is, in a word, once it is as it should be: `Running`. Undefined: not yet. */
  readonly settled: (sample: object) => string | undefined
  /** What for, and the command. */
  readonly tries: readonly (readonly [what: string, command: string])[]
}

export function demoOf(module: object): OperatorDemo {
  const {
    samples = [],
    settled = () => undefined,
    tries = [],
  } = (module as { readonly demo?: Partial<OperatorDemo> }).demo ?? {}
  return { samples, settled, tries }
}
