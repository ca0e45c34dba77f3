/**
 * ValidatingAdmissionPolicy: runs the policies whose constraints and bindings match a request. Requests that no rule
 * matches skip this plugin.
 */
import { goJson } from '../../../api/go-json.ts'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { ApiError } from '../../../api/status.ts'
import { limitSteps } from '../../../api/step-limit.ts'
import type { AdmissionRequest } from '../../registry/admission.ts'
import type { Inputs } from '../expressions/activation.ts'
import { rejected, type AdmissionPlugin, type AdmissionServices } from '../plugin.ts'
import { namespaceOf } from '../webhooks/review.ts'
import { runPolicy, type CompiledPolicy, type Failure, type PolicyResult } from '../expressions/compiled-policy.ts'
import { paramsFor, PolicyConfigurationError, type ParamObjects } from './params.ts'
import { inputsOf, isExempt, paramObjectsOf, reviewOf } from './policy-request.ts'
import { canMatch, matchedVersion, type ConfiguredPolicy, type PolicyBinding } from './policy.ts'

type ValidatingPolicy = ConfiguredPolicy<CompiledPolicy>

export function validatingPolicies(services: AdmissionServices): AdmissionPlugin {
  const configured = (): readonly ValidatingPolicy[] => services.policies.validating
  return {
    name: 'ValidatingAdmissionPolicy',
    validate: {
      concerns: (target) => !isExempt(target.resource) && configured().some((policy) => canMatch(policy, target)),
      run: (request) => {
        if (services.isOwn(request.context.user)) return
        const run = new PolicyRun(request, services)
        // Compiled here, and not within the limit of one request.
        for (const policy of configured()) if (canMatch(policy, request)) policy.compiled()
        limitSteps(() => {
          for (const policy of configured()) run.apply(policy)
        })
        run.reject()
      },
    },
  }
}

interface Denial {
  readonly policy: string
  /** '': the policy itself is wrong. */
  readonly binding: string
  readonly message: string
  /** '' for an error. */
  readonly reason: string
}

/** The policies of one request. */
class PolicyRun {
  readonly #request: AdmissionRequest
  readonly #services: AdmissionServices
  readonly #denials: Denial[] = []
  /** By version. */
  readonly #reviews = new Map<string, JsonObject>()

  constructor(request: AdmissionRequest, services: AdmissionServices) {
    this.#request = request
    this.#services = services
  }

  apply(policy: ValidatingPolicy): void {
    const version = matchedVersion(policy.match, this.#request)
    if (version === undefined) return
    let objects: ParamObjects | undefined
    try {
      objects = paramObjectsOf(policy, this.#services)
    } catch (error) {
      if (!(error instanceof PolicyConfigurationError)) throw error
      this.#misconfigured(policy, '', error.message)
      return
    }
    const annotations = new Map<string, Set<string>>()
    for (const binding of policy.bindings) {
      if (binding.match !== undefined && matchedVersion(binding.match, this.#request) === undefined) continue
      for (const result of this.#results(policy, binding, objects, version)) {
        for (const failure of result.failures) this.#act(policy, binding, failure)
        this.#collect(policy, binding, result, annotations)
      }
    }
    for (const [key, values] of annotations) {
      this.#request.context.audit?.annotate(`${policy.name}/${key}`, [...values].join(', '))
    }
  }

  /** One for each object of parameters. */
  #results(
    policy: ValidatingPolicy,
    binding: PolicyBinding,
    objects: ParamObjects | undefined,
    version: string,
  ): readonly PolicyResult[] {
    try {
      const found = paramsFor(objects, binding.paramRef, namespaceOf(this.#request))
      return found.map((params) => runPolicy(policy.compiled(), this.#inputs(version, params)))
    } catch (error) {
      if (!(error instanceof PolicyConfigurationError)) throw error
      this.#misconfigured(policy, binding.name, error.message)
      return []
    }
  }

  #inputs(version: string, params: KubeObject | undefined): Inputs {
    let review = this.#reviews.get(version)
    if (review === undefined) this.#reviews.set(version, (review = reviewOf(this.#request, version)))
    return inputsOf(this.#request, this.#services, review, params)
  }

  #misconfigured({ name, failsClosed }: ValidatingPolicy, binding: string, why: string): void {
    if (!failsClosed) return
    const message = `failed to configure ${binding === '' ? 'policy' : 'binding'}: ${why}`
    this.#denials.push({ policy: name, binding, message, reason: '' })
  }

  #act(policy: ValidatingPolicy, binding: PolicyBinding, { index, message, reason }: Failure): void {
    const { context } = this.#request
    for (const action of binding.actions) {
      switch (action) {
        case 'Deny':
          this.#denials.push({ policy: policy.name, binding: binding.name, message, reason })
          break
        case 'Warn':
          context.warn(
            `Validation failed for ValidatingAdmissionPolicy '${policy.name}' ` +
              `with binding '${binding.name}': ${message}`,
          )
          break
        case 'Audit': {
          const value =
            `[{"message":${goJson(message)},"policy":${goJson(policy.name)},"binding":${goJson(binding.name)},` +
            `"expressionIndex":${index},"validationActions":${goJson([...binding.actions])}}]`
          context.audit?.annotate('validation.policy.admission.k8s.io/validation_failure', value)
        }
      }
    }
  }

  #collect(
    policy: ValidatingPolicy,
    binding: PolicyBinding,
    { annotations, annotationErrors }: PolicyResult,
    into: Map<string, Set<string>>,
  ): void {
    for (const { key, value } of annotations) {
      const known = into.get(key)
      const shown = truncated(value)
      if (known === undefined) into.set(key, new Set([shown]))
      else known.add(shown)
    }
    for (const message of annotationErrors) {
      this.#denials.push({ policy: policy.name, binding: binding.name, message, reason: '' })
    }
  }

  /** Throws the first denial. */
  reject(): void {
    const [first] = this.#denials
    if (first === undefined) return
    const { policy, binding, message, reason } = first
    const bound = binding === '' ? '' : ` with binding '${binding}'`
    const why = `ValidatingAdmissionPolicy '${policy}'${bound} denied request: ${message}`
    const { status } = rejected(this.#request, why)
    status.reason = reason === '' ? 'Invalid' : reason
    status.code = codes[status.reason] ?? 422
    status.details = { ...status.details, causes: [{ message: why }] }
    throw new ApiError(status)
  }
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 }

const maxAnnotationBytes = 10 * 1024

/** Within the limit of an annotation, which may cut a character. */
function truncated(value: string): string {
  if (Buffer.byteLength(value) <= maxAnnotationBytes) return value
  return Buffer.from(value).subarray(0, maxAnnotationBytes).toString('utf8')
}
