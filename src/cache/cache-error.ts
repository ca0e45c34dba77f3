/** The errors of reads from the cache. Each message says what to do. */

/** The watch did not show an own write, or the first list, in time. Controllers retry without counting a failure. */
export class StaleCacheError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StaleCacheError'
  }
}

/** The kind has no informer. */
export class UndeclaredKindError extends Error {
  constructor(name: string, kind: string, declared: readonly string[]) {
    const others =
      declared.length === 0 ? 'nothing is' : `only ${declared.join(', ')} ${declared.length === 1 ? 'is' : 'are'}`
    super(
      `${name} are not in the cache (${others}): declare them with .owns(${kind}), .watches(${kind}, …) or ` +
        `.reads(${kind}) in the controller, or with cache.informer(${kind}) before reading them, ` +
        `or read from the server with cache.client.get(${kind}, …)`,
    )
    this.name = 'UndeclaredKindError'
  }
}

/** The informer has only metadata and the read asks for whole objects, or the reverse. */
export class ProjectionError extends Error {
  constructor(name: string, kind: string, held: 'full' | 'metadata') {
    super(
      held === 'metadata'
        ? `only the metadata of ${name} is in the cache: read it with { projection: 'metadata' }, ` +
            `or declare the informer without that projection`
        : `whole objects of ${name} are in the cache: read them without { projection: 'metadata' }, ` +
            `or declare cache.informer(${kind}, { projection: 'metadata' })`,
    )
    this.name = 'ProjectionError'
  }
}

/** A kind was declared twice with different options: it has one informer. */
export class RepeatedInformerError extends Error {
  constructor(name: string, option: string) {
    super(
      `${name} are in the cache already, with another ${option}: a kind has one informer; ` +
        `declare it in one place, with what all of its readers need`,
    )
    this.name = 'RepeatedInformerError'
  }
}

export class UnknownIndexError extends Error {
  constructor(name: string, index: string, known: readonly string[]) {
    const others = known.length === 0 ? 'they have none' : `they have ${known.join(', ')}`
    super(
      `${name} have no index ${JSON.stringify(index)} in the cache (${others}): ` +
        `declare it with the informer, as { indexes: { ${JSON.stringify(index)}: (object) => […] } }`,
    )
    this.name = 'UnknownIndexError'
  }
}

/** The namespaces of a cluster-wide informer cannot be changed. */
export class WideInformerError extends Error {
  constructor(name: string) {
    super(
      `${name} are watched in the whole cluster: only an informer declared with { namespaces: […] } can be ` +
        'given others',
    )
    this.name = 'WideInformerError'
  }
}
