/**
 * Admission, as the pipeline sees it: for each kind of write a list of hooks that may change the object before it is
 * prepared and validated, and a list that may refuse it afterwards. Which plugins these hooks come from, and in which
 * order, is decided in `admission/`.
 */
import type { KubeObject } from '../../api/object.ts'
import { writeContext, type RegistryCall } from './call.ts'
import type { Resource, WriteContext } from '../contract/resource.ts'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** What kind of request it is: all that decides which hooks concern it. */
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
  /** Of mutating hooks to change; undefined for deletes. */
  readonly object: KubeObject | undefined
  /** Frozen; undefined for creates. */
  readonly old: KubeObject | undefined
  /** Who asks, the readers of the store, where warnings go. */
  readonly context: WriteContext
}

/** Throws an ApiError to refuse. */
export type AdmissionHook = (request: AdmissionRequest) => void

export interface AdmissionSteps {
  readonly mutate: readonly AdmissionHook[]
  readonly validate: readonly AdmissionHook[]
}

export interface AdmissionChain {
  /** Precomputed for each resource, so that a plugin costs nothing where it has nothing to say. */
  stepsFor(resource: Resource, subresource: string, operation: AdmissionOperation): AdmissionSteps
}

const nothing: AdmissionSteps = { mutate: [], validate: [] }

/** For backends without plugins. */
export const noAdmission: AdmissionChain = { stepsFor: () => nothing }

/** One request on its way through the hooks that concern it. */
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
    for (const hook of this.#steps.mutate) hook(this.#request)
  }

  /** After preparation and validation, when a generated name is known. */
  validate(): void {
    const { validate } = this.#steps
    if (validate.length === 0) return
    if (this.#request.name === '') this.#request.name = this.#request.object?.metadata.name ?? ''
    for (const hook of validate) hook(this.#request)
  }
}

/** A delete, of an object that is there and that the preconditions fit. Nothing is made where no hook concerns it. */
export function admitDelete(call: RegistryCall, old: KubeObject, dryRun: boolean): void {
  const steps = call.backend.admission.stepsFor(call.resource, call.subresource, 'DELETE')
  if (steps.mutate.length === 0 && steps.validate.length === 0) return
  const admission = new Admission(call, 'DELETE', undefined, old, writeContext(call, dryRun))
  admission.mutate()
  admission.validate()
}
