/** The admission policies and bindings in the store, up to date with the last completed write. */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { PolicyServices } from '../admission/plugin.ts'
import { compilePolicy, type CompiledPolicy } from '../admission/expressions/compiled-policy.ts'
import { compileMutations, type CompiledMutations } from '../admission/expressions/mutation.ts'
import type { ParamObjects } from '../admission/policies/params.ts'
import { policiesOf, type ConfiguredPolicy, type ParamKind } from '../admission/policies/policy.ts'
import type { Resource } from '../contract/resource.ts'
import { storageKey } from '../registry/call.ts'
import type { Catalog } from '../registry/catalog.ts'
import type { Store } from '../storage/store.ts'

type Form = 'validating' | 'mutating'

const policiesPrefix = (form: Form): string => `/registry/${form}admissionpolicies/`
const bindingsPrefix = (form: Form): string => `/registry/${form}admissionpolicybindings/`

type Known<Compiled> = readonly ConfiguredPolicy<Compiled>[]

export class AdmissionPolicies implements PolicyServices {
  readonly #store: Store
  readonly #catalog: Catalog
  #validating: Known<CompiledPolicy> | undefined
  #mutating: Known<CompiledMutations> | undefined
  readonly #params = new Map<string, ParamObjects>()
  /** Called when the policies change. */
  onChange: () => void = () => undefined

  /** `hasMutating`: mutating policies are served. */
  constructor(store: Store, catalog: Catalog, hasMutating: boolean) {
    this.#store = store
    this.#catalog = catalog
    this.#follow('validating', () => (this.#validating = undefined))
    if (hasMutating) this.#follow('mutating', () => (this.#mutating = undefined))
    else this.#mutating = []
  }

  #follow(form: Form, forget: () => void): void {
    for (const prefix of [policiesPrefix(form), bindingsPrefix(form)]) {
      this.#store.watch(prefix, this.#store.revision, () => {
        forget()
        this.#params.clear()
        this.onChange()
      })
    }
  }

  // The functions are named where they are called: expressions are loaded only if there are policies.
  get validating(): Known<CompiledPolicy> {
    return (this.#validating ??= this.#read('validating', (spec) => compilePolicy(spec)))
  }

  get mutating(): Known<CompiledMutations> {
    return (this.#mutating ??= this.#read('mutating', (spec) => compileMutations(spec)))
  }

  #read<Compiled>(form: Form, compile: (spec: JsonObject) => Compiled): Known<Compiled> {
    const bindings = bindingsPrefix(form)
    if (this.#store.count(bindings) === 0) return []
    return policiesOf(this.#all(policiesPrefix(form)), this.#all(bindings), compile)
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
