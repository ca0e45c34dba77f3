/** The hooks of the enabled plugins in order, selected once for each resource, subresource and operation. */
import type {
  AdmissionChain,
  AdmissionHook,
  AdmissionSteps,
  AdmissionTarget,
  AdmissionOperation,
} from '../registry/admission.ts'
import type { Resource } from '../contract/resource.ts'
import type { AdmissionPlugin, PluginHook } from './plugin.ts'

/** The common operations have fields, which are faster to reach than a map. */
interface ResourceSteps {
  CREATE?: AdmissionSteps
  UPDATE?: AdmissionSteps
  DELETE?: AdmissionSteps
  readonly others: Map<string, AdmissionSteps>
}

export class PluginChain implements AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[]
  readonly #steps = new Map<Resource, ResourceSteps>()

  /** All mutating hooks run before all validating ones, each in the order of `plugins`. */
  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins
  }

  /** To be called when the set of requests that plugins handle changes, or the set of served resources. */
  forget(): void {
    this.#steps.clear()
  }

  stepsFor(resource: Resource, subresource: string, operation: AdmissionOperation): AdmissionSteps {
    let known = this.#steps.get(resource)
    if (known === undefined) {
      known = { others: new Map() }
      this.#steps.set(resource, known)
    }
    if (subresource === '' && operation !== 'CONNECT') {
      return (known[operation] ??= this.#select({ resource, subresource, operation }))
    }
    const key = `${operation}/${subresource}`
    let steps = known.others.get(key)
    if (steps === undefined) {
      steps = this.#select({ resource, subresource, operation })
      known.others.set(key, steps)
    }
    return steps
  }

  #select(target: AdmissionTarget): AdmissionSteps {
    return {
      mutate: hooks(
        this.#plugins.map(({ mutate }) => mutate),
        target,
      ),
      validate: hooks(
        this.#plugins.map(({ validate }) => validate),
        target,
      ),
    }
  }
}

function hooks(candidates: readonly (PluginHook | undefined)[], target: AdmissionTarget): AdmissionHook[] {
  return candidates.flatMap((hook) => (hook?.concerns(target) === true ? [hook.run] : []))
}
