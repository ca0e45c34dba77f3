/**
 * Follows the CustomResourceDefinitions in the store: maintains their status, deletes the objects of deleted
 * definitions and keeps the catalog up to date. All of it happens within the write that caused it, so a custom resource
 * is served when the create of its definition returns.
 */
import { equalJson, isObject, type Json } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { systemUser } from '../auth/user-names.ts'
import { webhookConverter, type ConversionServices } from '../conversion/webhook-converter.ts'
import type { CustomDefinition } from '../discovery/served-groups.ts'
import { customResources, storageResource, versionDetails } from '../extensions/custom-resources.ts'
import { conditionIs } from '../extensions/definition/conditions.ts'
import { finishCleanup, needsCleanup, startCleanup } from '../extensions/definition/deletion.ts'
import { establish, statusManager } from '../extensions/definition/establish.ts'
import { storageKey, type Backend } from '../registry/call.ts'
import type { ApiRequest, ApiResponse } from '../contract/request.ts'
import type { Resource, VersionConverter } from '../contract/resource.ts'
import type { StoreWatch } from '../storage/store.ts'

const prefix = '/registry/apiextensions.k8s.io/customresourcedefinitions/'
const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

interface Served {
  readonly crd: KubeObject
  readonly resources: readonly Resource[]
}

export class DefinitionFollower {
  readonly #backend: Backend
  readonly #handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>
  readonly #webhooks: Pick<ConversionServices, 'call' | 'newId'>
  /** By the name of the CRD. */
  readonly #served = new Map<string, Served>()
  /** For the resources that are served. */
  readonly #definitions = new Map<Resource, CustomDefinition>()
  /** Watches on the remaining objects of deleted CRDs, by the name of the CRD. */
  readonly #emptying = new Map<string, StoreWatch>()
  #following: StoreWatch | undefined

  constructor(
    backend: Backend,
    handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>,
    webhooks: Pick<ConversionServices, 'call' | 'newId'>,
  ) {
    this.#backend = backend
    this.#handle = handle
    this.#webhooks = webhooks
  }

  start(): void {
    const { store } = this.#backend
    const { items, revision } = store.list(prefix)
    this.#following = store.watch(prefix, revision, (event) => {
      if (event.type === 'put') this.#updateStatus(event.current.object)
      else this.#gone(event.current.object)
    })
    for (const { object } of items) this.#updateStatus(object)
  }

  stop(): void {
    this.#following?.stop()
    for (const watch of this.#emptying.values()) watch.stop()
  }

  /** The data for discovery and OpenAPI of a custom resource that its Resource does not have. */
  definitionOf(resource: Resource): CustomDefinition | undefined {
    return this.#definitions.get(resource)
  }

  /** One step. If it writes the status, the event of that write starts the next step. */
  #updateStatus(crd: KubeObject): void {
    const { env, store } = this.#backend
    const name = crd.metadata.name as string
    if (store.get(prefix + name)?.object.metadata.resourceVersion !== crd.metadata.resourceVersion) return
    this.#serve(crd)
    if (needsCleanup(crd)) {
      this.#cleanUp(crd)
      return
    }
    const others = store
      .list(prefix)
      .items.map(({ object }) => object)
      .filter((other) => other.metadata.name !== name)
    const status = establish(crd, others, env.now())
    if (status !== undefined) this.#write(`${path}/${name}/status`, { ...crd, status })
  }

  /** Updates the catalog from the CRD. */
  #serve(crd: KubeObject): void {
    const name = crd.metadata.name as string
    const before = this.#served.get(name)
    if (before !== undefined && sameDefinition(before.crd, crd)) return
    const resources = conditionIs(crd, 'Established', 'True')
      ? customResources(crd, { converter: this.#converter(crd) })
      : []
    this.#remove(before)
    const details = versionDetails(crd)
    for (const resource of resources) {
      const facts = details.get(resource.version)
      if (facts !== undefined) this.#definitions.set(resource, facts)
      this.#backend.catalog.add(resource)
    }
    this.#served.set(name, { crd, resources })
  }

  #remove(served: Served | undefined): void {
    for (const resource of served?.resources ?? []) {
      this.#backend.catalog.remove(resource)
      this.#definitions.delete(resource)
    }
  }

  #converter(crd: KubeObject): VersionConverter | undefined {
    const { catalog, store } = this.#backend
    return webhookConverter(crd, {
      ...this.#webhooks,
      hasService(namespace, name) {
        const services = catalog.findAnyVersion('', 'services')
        return services !== undefined && store.get(storageKey(services, namespace, name)) !== undefined
      },
    })
  }

  /** Deletes the objects of a deleted CRD, and removes its finalizer when none is left. */
  #cleanUp(crd: KubeObject): void {
    const { env, store } = this.#backend
    const name = crd.metadata.name as string
    const stored = storageResource(crd)
    const objects = stored === undefined ? [] : store.list(stored.keyPrefix).items
    if (stored === undefined || objects.length === 0) {
      this.#emptying.get(name)?.stop()
      this.#emptying.delete(name)
      // Through the status subresource, as upstream: it does not validate the rest of the CRD.
      this.#write(`${path}/${name}/status`, finishCleanup(crd, env.now()))
      return
    }
    if (this.#emptying.has(name)) return
    this.#write(`${path}/${name}/status`, startCleanup(crd, env.now()))
    this.#emptying.set(
      name,
      store.watch(stored.keyPrefix, store.revision, (event) => {
        const live = store.get(prefix + name)?.object
        if (event.type === 'delete' && live !== undefined && store.count(stored.keyPrefix) === 0) this.#cleanUp(live)
      }),
    )
    const resources = this.#served.get(name)?.resources ?? []
    const served = resources.find(({ version }) => version === stored.version) ?? resources[0] ?? stored
    for (const { object } of objects) {
      const { namespace, name: objectName } = object.metadata
      const inNamespace = served.namespaced ? `/namespaces/${namespace}` : ''
      // An object that cannot be converted cannot be deleted either, and keeps the CRD.
      this.#send('DELETE', `/apis/${served.group}/${served.version}${inNamespace}/${served.plural}/${objectName}`)
    }
  }

  #gone(crd: KubeObject): void {
    const name = crd.metadata.name as string
    this.#remove(this.#served.get(name))
    this.#served.delete(name)
    this.#emptying.get(name)?.stop()
    this.#emptying.delete(name)
    for (const { object } of this.#backend.store.list(prefix).items) this.#updateStatus(object)
  }

  #write(to: string, crd: KubeObject): void {
    this.#send('PUT', to, crd)
  }

  #send(method: string, to: string, body?: Json): void {
    const response = this.#handle({
      method,
      path: to,
      query: new URLSearchParams(),
      headers: { 'user-agent': statusManager },
      user: systemUser,
      ...(body === undefined ? {} : { body }),
    })
    // Failures are ignored, and so is a delete that waits for a conversion webhook.
    if (method === 'DELETE') return
    const isRefused = (status: number) => status >= 400 && status !== 404 && status !== 409
    if (response instanceof Promise || isRefused(response.status)) {
      throw new Error(`${method} ${to} failed: ${JSON.stringify((response as { body?: Json }).body)}`)
    }
  }
}

/** Whether two versions of a CRD serve the same resources in the same way. */
function sameDefinition(a: KubeObject, b: KubeObject): boolean {
  const relevant = (crd: KubeObject) => {
    const status = isObject(crd['status']) ? crd['status'] : {}
    return [
      conditionIs(crd, 'Established', 'True'),
      conditionIs(crd, 'Terminating', 'True'),
      status['acceptedNames'],
      crd['spec'],
    ]
  }
  return equalJson(relevant(a), relevant(b))
}
