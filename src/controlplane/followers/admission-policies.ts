/** The admission policies and bindings in the store, up to date with the last completed write. */
import type { KubeObject } from '../../api/object.ts'
import type { PolicyServices } from '../admission/plugin.ts'
import type { ParamObjects } from '../admission/policies/params.ts'
import { policiesOf, type ConfiguredPolicy, type ParamKind } from '../admission/policies/policy.ts'
import type { Resource } from '../contract/resource.ts'
import { storageKey } from '../registry/call.ts'
import type { Catalog } from '../registry/catalog.ts'
import type { Store } from '../storage/store.ts'

const policies = '/registry/validatingadmissionpolicies/'
const bindings = '/registry/validatingadmissionpolicybindings/'

export class AdmissionPolicies implements PolicyServices {
  readonly #store: Store
  readonly #catalog: Catalog
  #known: readonly ConfiguredPolicy[] | undefined
  readonly #params = new Map<string, ParamObjects>()
  /** Called when the policies change. */
  onChange: () => void = () => undefined

  constructor(store: Store, catalog: Catalog) {
    this.#store = store
    this.#catalog = catalog
    for (const prefix of [policies, bindings]) {
      store.watch(prefix, store.revision, () => {
        this.#known = undefined
        this.#params.clear()
        this.onChange()
      })
    }
  }

  get validating(): readonly ConfiguredPolicy[] {
    return (this.#known ??=
      this.#store.count(bindings) === 0 ? [] : policiesOf(this.#all(policies), this.#all(bindings)))
  }

  #all(prefix: string): readonly KubeObject[] {
    return this.#store.list(prefix).items.map(({ object }) => object)
  }

  paramObjects({ apiVersion, kind }: ParamKind): ParamObjects | undefined {
    const key = `${apiVersion} ${kind}`
    let objects = this.#params.get(key)
    if (objects === undefined) {
      const resource = this.#catalog.all().find((each) => each.apiVersion === apiVersion && each.kind === kind)
      if (resource === undefined) return undefined
      this.#params.set(key, (objects = paramObjects(this.#store, resource)))
    }
    return objects
  }

  /** To be called when the set of served resources changes. */
  forgetKinds(): void {
    this.#params.clear()
  }
}

function paramObjects(store: Store, resource: Resource): ParamObjects {
  const { keyPrefix, apiVersion, kind, view } = resource
  const shown = (stored: KubeObject): KubeObject => {
    const object = view === undefined ? stored : view.fromStored(stored)
    return Object.assign({}, object, { apiVersion, kind })
  }
  return {
    isNamespaced: resource.namespaced,
    get: (namespace, name) => {
      const stored = store.get(storageKey(resource, namespace, name))
      return stored && shown(stored.object)
    },
    list: (namespace) => {
      const prefix = resource.namespaced ? `${keyPrefix}${namespace}/` : keyPrefix
      return store.list(prefix).items.map(({ object }) => shown(object))
    },
  }
}
