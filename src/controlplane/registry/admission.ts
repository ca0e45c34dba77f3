/**
 * The registry's view of admission: for each operation, mutating hooks that run before prepare and validate, and
 * validating hooks that run after them. `admission/` decides which plugins provide the hooks, and in which order.
 */
import type { KubeObject } from '../../api/object.ts'
import { writeContext, type RegistryCall } from './call.ts'
import type { Resource, WriteContext } from '../contract/resource.ts'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** The properties of a request that select its hooks. */
export interface AdmissionTarget {
  readonly resource: Resource
  /** '' for the resource itself. */
  readonly subresource: string
  readonly operation: AdmissionOperation
}

export interface AdmissionRequest extends AdmissionTarget {
  /** '' for cluster-scoped resources. */
  readonly namespace: string
  /** '' while a generated name is not known yet. */
  name: string
  /** Mutating hooks may change it; undefined for deletes. */
  readonly object: KubeObject | undefined
  /** Frozen; undefined for creates. */
  readonly old: KubeObject | undefined
  /** The user, readers of the store and the list of warnings. */
  readonly context: WriteContext
  /** Set by a mutating hook that has changed the object: all of them run once more, after the last one. */
  needsSecondRound?: boolean
  isSecondRound?: boolean
}

/** Throws an ApiError to reject the request. */
export type AdmissionHook = (request: AdmissionRequest) => void

export interface AdmissionSteps {
  readonly mutate: readonly AdmissionHook[]
  readonly validate: readonly AdmissionHook[]
}

export interface AdmissionChain {
  /** Precomputed for each resource, so that a plugin costs nothing for requests that it does not handle. */
  stepsFor(resource: Resource, subresource: string, operation: AdmissionOperation): AdmissionSteps
}

const nothing: AdmissionSteps = { mutate: [], validate: [] }

/** For backends without plugins. */
export const noAdmission: AdmissionChain = { stepsFor: () => nothing }

/** Runs the hooks of one request. */
export class Admission {
  readonly #steps: AdmissionSteps
  readonly #request: AdmissionRequest

  constructor(
    call: RegistryCall,
    operation: AdmissionOperation,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
    context: WriteContext,
  ) {
    const { resource, subresource, namespace } = call
    this.#steps = call.backend.admission.stepsFor(resource, subresource, operation)
    const name = call.name === '' ? (object?.metadata.name ?? old?.metadata.name ?? '') : call.name
    this.#request = { resource, subresource, operation, namespace, name, object, old, context }
  }

  mutate(): void {
    const { mutate } = this.#steps
    for (const hook of mutate) hook(this.#request)
    if (this.#request.needsSecondRound !== true) return
    this.#request.isSecondRound = true
    for (const hook of mutate) hook(this.#request)
  }

  /** Runs after prepare and validate, when a generated name is known. */
  validate(): void {
    const { validate } = this.#steps
    if (validate.length === 0) return
    if (this.#request.name === '') this.#request.name = this.#request.object?.metadata.name ?? ''
    for (const hook of validate) hook(this.#request)
  }
}

/**
 * Admission of the delete of a live object whose preconditions hold. Allocates nothing if there are no hooks for it.
 */
export function admitDelete(call: RegistryCall, old: KubeObject, dryRun: boolean): void {
  const steps = call.backend.admission.stepsFor(call.resource, call.subresource, 'DELETE')
  if (steps.mutate.length === 0 && steps.validate.length === 0) return
  const admission = new Admission(call, 'DELETE', undefined, old, writeContext(call, dryRun))
  admission.mutate()
  admission.validate()
}
