/**
 * Status that the server itself maintains: whether the priority level of a FlowSchema exists (Dangling), and whether an
 * APIService is available. A real server writes it shortly after the write that caused it, this one within that write.
 */
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { timestamp } from '../../env/env.ts'
import { systemUser } from '../auth/user-names.ts'
import type { Backend } from '../registry/call.ts'
import type { ApiRequest, ApiResponse } from '../contract/request.ts'
import type { StoreWatch } from '../storage/store.ts'

const schemas = '/registry/flowschemas/'
const levels = '/registry/prioritylevelconfigurations/'
const registrations = '/registry/apiregistration.k8s.io/apiservices/'
const services = '/registry/services/specs/'
const flowManager = 'api-priority-and-fairness-config-consumer-v1'

interface ServerCondition {
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

export class ServerManagedStatus {
  readonly #backend: Backend
  readonly #handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>
  #watches: StoreWatch[] = []

  constructor(backend: Backend, handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>) {
    this.#backend = backend
    this.#handle = handle
  }

  /** Only watches changes: existing objects have their status already. */
  start(): void {
    const { store } = this.#backend
    const follow = (prefix: string, changed: (object: KubeObject, isGone: boolean) => void) =>
      store.watch(prefix, store.revision, (event) => changed(event.current.object, event.type === 'delete'))
    this.#watches = [
      follow(schemas, (object, isGone) => {
        if (!isGone) this.#updateSchemaStatus(object)
      }),
      follow(levels, () => {
        for (const { object } of store.list(schemas).items) this.#updateSchemaStatus(object)
      }),
      follow(registrations, (object, isGone) => {
        if (!isGone) this.#updateRegistrationStatus(object)
      }),
    ]
  }

  stop(): void {
    for (const watch of this.#watches) watch.stop()
  }

  #updateSchemaStatus(schema: KubeObject): void {
    const name = schema.metadata.name as string
    if (this.#backend.store.get(schemas + name)?.object !== schema) return
    const level = textOf(structOf(structOf(schema, 'spec'), 'priorityLevelConfiguration'), 'name')
    const known = this.#backend.store.get(levels + level) !== undefined
    const about = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`
    const expected: ServerCondition = known
      ? { status: 'False', reason: 'Found', message: `${about} and it exists` }
      : { status: 'True', reason: 'NotFound', message: `${about} but there is no such object` }
    if (hasServerCondition(schema, 'Dangling', expected)) return
    const condition = this.#condition('Dangling', expected, undefined)
    const body = {
      apiVersion: schema.apiVersion as string,
      kind: schema.kind as string,
      metadata: { name },
      status: { conditions: [condition] },
    }
    const query = new URLSearchParams({ fieldManager: flowManager, force: 'true' })
    this.#send(
      'PATCH',
      `/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/${name}/status`,
      body,
      'application/apply-patch+yaml',
      query,
    )
  }

  #updateRegistrationStatus(registration: KubeObject): void {
    const name = registration.metadata.name as string
    const { store } = this.#backend
    if (store.get(registrations + name)?.object !== registration) return
    const expected = this.#reachable(registration)
    if (expected === undefined || hasServerCondition(registration, 'Available', expected)) return
    const status = structOf(registration, 'status')
    const others = conditionsOf(registration)
    const old = conditionOf(registration, 'Available')
    const condition = this.#condition('Available', expected, old)
    const conditions =
      old === undefined ? [...others, condition] : others.map((other) => (other === old ? condition : other))
    const body = { ...registration, status: { ...status, conditions } }
    this.#send(
      'PUT',
      `/apis/apiregistration.k8s.io/v1/apiservices/${name}/status`,
      body,
      'application/json',
      new URLSearchParams(),
    )
  }

  /** Undefined if the Service exists: availability is not probed here. */
  #reachable(registration: KubeObject): ServerCondition | undefined {
    const service = structOf(registration, 'spec')['service']
    if (!isObject(service))
      return { status: 'True', reason: 'Local', message: 'Local APIServices are always available' }
    const name = textOf(service, 'name')
    const namespace = textOf(service, 'namespace')
    if (this.#backend.store.get(`${services}${namespace}/${name}`) !== undefined) return undefined
    return {
      status: 'False',
      reason: 'ServiceNotFound',
      message: `service/${name} in ${JSON.stringify(namespace)} is not present`,
    }
  }

  #condition(type: string, { status, reason, message }: ServerCondition, old: JsonObject | undefined): JsonObject {
    const now = timestamp(this.#backend.env.now())
    const since = old?.['status'] === status ? textOf(old, 'lastTransitionTime') || now : now
    return { type, status, lastTransitionTime: since, reason, message }
  }

  #send(method: string, path: string, body: Json, type: string, query: URLSearchParams): void {
    const headers = { 'user-agent': 'kube-apiserver', 'content-type': type }
    const response = this.#handle({ method, path, query, headers, user: systemUser, body })
    if (response instanceof Promise || (response.status >= 400 && response.status !== 404 && response.status !== 409)) {
      throw new Error(`${method} ${path} failed: ${JSON.stringify((response as { body?: Json }).body)}`)
    }
  }
}

function structOf(object: KubeObject | JsonObject, field: string): JsonObject {
  const value = object[field]
  return isObject(value) ? value : {}
}

function textOf(object: JsonObject, field: string): string {
  const value = object[field]
  return typeof value === 'string' ? value : ''
}

function conditionsOf(object: KubeObject): readonly JsonObject[] {
  const { conditions } = structOf(object, 'status')
  return Array.isArray(conditions) ? conditions.filter((condition) => isObject(condition)) : []
}

function conditionOf(object: KubeObject, type: string): JsonObject | undefined {
  return conditionsOf(object).find((condition) => condition['type'] === type)
}

function hasServerCondition(object: KubeObject, type: string, { status, reason, message }: ServerCondition): boolean {
  const condition = conditionOf(object, type)
  return condition?.['status'] === status && condition['reason'] === reason && condition['message'] === message
}
