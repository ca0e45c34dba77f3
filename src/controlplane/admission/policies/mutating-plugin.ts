/**
 * MutatingAdmissionPolicy: runs the mutations of the policies whose constraints and bindings match a request. Requests
 * that no rule matches skip this plugin.
 */
import type { KubeObject } from '../../../api/object.ts'
import { ApiError, apiError } from '../../../api/status.ts'
import { limitSteps } from '../../../api/step-limit.ts'
import type { Shape } from '../../../shape/shape.ts'
import type { AdmissionRequest } from '../../registry/admission.ts'
import { activationOf, allHold, OutOfBudget } from '../expressions/activation.ts'
import { rejected, type AdmissionPlugin, type AdmissionServices } from '../plugin.ts'
import { Reinvocations, type Reinvocation } from '../reinvocation.ts'
import { replaceObject } from '../webhooks/replace-object.ts'
import { inWebhookVersion, namespaceOf } from '../webhooks/review.ts'
import { mutated, type CompiledMutations } from '../expressions/mutation.ts'
import { paramsFor, PolicyConfigurationError } from './params.ts'
import { PatchValueError } from '../expressions/patch-value.ts'
import { inputsOf, isExempt, paramObjectsOf, reviewOf } from './policy-request.ts'
import { canMatch, matchedVersion, type ConfiguredPolicy, type PolicyBinding } from './policy.ts'

type MutatingPolicy = ConfiguredPolicy<CompiledMutations>

export function mutatingPolicies(services: AdmissionServices): AdmissionPlugin {
  const configured = (): readonly MutatingPolicy[] => services.policies.mutating
  const reinvocations = new Reinvocations()
  return {
    name: 'MutatingAdmissionPolicy',
    mutate: {
      concerns: (target) =>
        target.operation !== 'DELETE' &&
        !isExempt(target.resource) &&
        configured().some((policy) => canMatch(policy, target)),
      run: (request) => {
        if (services.isOwn(request.context.user) || request.object === undefined) return
        const run = new MutationRun(request, services, reinvocations.of(request))
        // Compiled here, and not within the limit of one request.
        for (const policy of configured()) if (canMatch(policy, request)) policy.compiled()
        limitSteps(() => run.apply(configured()))
      },
    },
  }
}

/** Failures of a mutation, which count by the failurePolicy. */
function isFailure(error: unknown): error is Error {
  return error instanceof PatchValueError || error instanceof OutOfBudget || error instanceof PolicyConfigurationError
}

/** One run of a policy: for one binding and one object of parameters. */
interface Invocation {
  readonly policy: MutatingPolicy
  readonly binding: PolicyBinding
  readonly version: string
  readonly params: KubeObject | undefined
}

interface Denial {
  readonly message: string
  /** '' if the policy or binding itself is wrong. */
  readonly reason: '' | 'Invalid'
}

class MutationRun {
  readonly #request: AdmissionRequest
  readonly #services: AdmissionServices
  readonly #reinvocation: Reinvocation
  readonly #denials: Denial[] = []

  constructor(request: AdmissionRequest, services: AdmissionServices, reinvocation: Reinvocation) {
    this.#request = request
    this.#services = services
    this.#reinvocation = reinvocation
  }

  apply(policies: readonly MutatingPolicy[]): void {
    // What runs is decided before anything is changed.
    const invocations = policies.flatMap((policy) => this.#invocations(policy))
    this.#reinvocation.begin()
    for (const invocation of invocations) this.#invoke(invocation)
    this.#reinvocation.end()
    this.#reject()
  }

  #invocations(policy: MutatingPolicy): Invocation[] {
    const version = matchedVersion(policy.match, this.#request)
    if (version === undefined) return []
    try {
      const objects = paramObjectsOf(policy, this.#services)
      return policy.bindings.flatMap((binding) => {
        if (binding.match !== undefined && matchedVersion(binding.match, this.#request) === undefined) return []
        try {
          const found = paramsFor(objects, binding.paramRef, namespaceOf(this.#request))
          return found.map((params) => ({ policy, binding, version, params }))
        } catch (error) {
          if (!(error instanceof PolicyConfigurationError)) throw error
          this.#deny(policy, binding, `failed to configure binding: ${error.message}`, '')
          return []
        }
      })
    } catch (error) {
      if (!(error instanceof PolicyConfigurationError)) throw error
      this.#deny(policy, undefined, `failed to configure policy: ${error.message}`, '')
      return []
    }
  }

  #invoke(invocation: Invocation): void {
    const { policy, binding, params } = invocation
    const compiled = policy.compiled()
    if (!this.#isWanted(invocation, compiled)) return
    const key = JSON.stringify([policy.name, binding.name, params?.metadata.namespace, params?.metadata.name])
    if (!this.#reinvocation.isDue(key)) return
    const before = JSON.stringify(this.#request.object)
    for (const mutation of compiled.mutations) {
      try {
        this.#mutate(mutation, invocation, compiled)
      } catch (error) {
        if (!isFailure(error)) throw error
        this.#deny(policy, binding, error.message, 'Invalid')
      }
    }
    this.#reinvocation.ran(key, before !== JSON.stringify(this.#request.object), policy.isReinvoked)
  }

  #isWanted({ policy, binding, version, params }: Invocation, { conditions, variables }: CompiledMutations): boolean {
    if (conditions.length === 0) return true
    const inputs = inputsOf(this.#request, this.#services, reviewOf(this.#request, version), params)
    try {
      return allHold(conditions, activationOf(inputs, variables, 'namespaceObject'))
    } catch (error) {
      this.#deny(policy, binding, (error as Error).message, 'Invalid')
      return false
    }
  }

  #mutate(
    mutation: CompiledMutations['mutations'][number],
    { version, params }: Invocation,
    compiled: CompiledMutations,
  ): void {
    const inputs = inputsOf(this.#request, this.#services, reviewOf(this.#request, version), params)
    const { object } = this.#request
    const seen = inWebhookVersion(this.#request, object, version)
    if (seen === undefined) return
    const next = mutated(mutation, compiled.variables, inputs, seen, this.#shape(seen, version))
    const { resource } = this.#request
    if (resource.builtin && version !== resource.version) {
      // Upstream converts the result with a function that does not exist: such a policy always fails.
      const { kind } = resource
      throw new PatchValueError(`converting (${version}.${kind}) to (${resource.version}.${kind}): unknown conversion`)
    }
    if (next === seen) return
    replaceObject(this.#request, next, (unknown) => {
      const fields = unknown.map((field) => `unknown field ${JSON.stringify(field)}`)
      throw apiError.internalError(`strict decoding error: ${fields.join(', ')}`)
    })
  }

  /** The shape of the object in the version that the policy sees. */
  #shape(seen: KubeObject, version: string): Shape {
    const { resource, subresource, context } = this.#request
    if (version === resource.version) return resource.shape
    const found = resource.convert?.(seen, seen.apiVersion as string, subresource, context.askOutside)
    return found !== undefined && 'shape' in found ? found.shape : resource.shape
  }

  #deny(policy: MutatingPolicy, binding: PolicyBinding | undefined, why: string, reason: Denial['reason']): void {
    if (!policy.failsClosed) return
    const by =
      binding === undefined
        ? `policy ${JSON.stringify(policy.name)}`
        : `policy '${policy.name}' with binding '${binding.name}'`
    this.#denials.push({ message: `${by} denied request: ${why}`, reason })
  }

  #reject(): void {
    const [first] = this.#denials
    if (first === undefined) return
    const { status } = rejected(this.#request, '')
    status.message = first.message
    if (first.reason !== '') status.reason = first.reason
    status.details = { ...status.details, causes: this.#denials.map(({ message }) => ({ message })) }
    throw new ApiError(status)
  }
}
