/**
 * ServiceAccount: every pod runs as a service account of its namespace, with the token and pull secrets of that
 * account.
 */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import type { AdmissionRequest } from '../registry/admission.ts'
import { entry, items, size, specOf, struct, text } from '../resources/shared/values.ts'
import { on, rejected, type AdmissionPlugin, type AdmissionServices } from './plugin.ts'
import { forbiddenReference, referencesSecrets, secretsOfEphemeral, type Mountable } from './secret-references.ts'
import { TokenVolume } from './token-volume.ts'

const defaultAccount = 'default'
const mirrorAnnotation = 'kubernetes.io/config.mirror'
const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets'
const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

/** The plugin of one server. */
class Accounts {
  readonly #services: AdmissionServices
  readonly #tokens = new TokenVolume()
  /** The last pod that was admitted, and its account: it is not looked up again when the pod is validated. */
  #admitted: AdmissionRequest | undefined
  #account: KubeObject | undefined

  constructor(services: AdmissionServices) {
    this.#services = services
  }

  admit(request: AdmissionRequest): void {
    const pod = request.object as KubeObject
    const spec = specOf(pod)
    if (isMirror(pod)) return validateMirror(request, spec)
    if (text(spec.serviceAccountName) === '') {
      spec.serviceAccountName = defaultAccount
      spec.serviceAccount = defaultAccount
    }
    const account = accountOf(request, spec, this.#services)
    if (automounts(spec, account)) this.#tokens.mount(spec, request.context)
    if (size(spec.imagePullSecrets) === 0) {
      const secrets = items(account.imagePullSecrets).map(({ name }) => (text(name) === '' ? {} : { name: text(name) }))
      if (secrets.length > 0) spec.imagePullSecrets = secrets
    }
    validateReferences(request, spec, account)
    this.#admitted = request
    this.#account = account
  }

  validate(request: AdmissionRequest): void {
    const pod = request.object as KubeObject
    const spec = specOf(pod)
    if (isMirror(pod)) return validateMirror(request, spec)
    const known = this.#admitted === request ? this.#account : undefined
    const isSame = known !== undefined && known.metadata.name === spec.serviceAccountName
    validateReferences(request, spec, isSame ? known : accountOf(request, spec, this.#services))
  }

  validateEphemeral(request: AdmissionRequest): void {
    const spec = specOf(request.object as KubeObject)
    const mountable = mountableOf(accountOf(request, spec, this.#services))
    const problem = mountable && secretsOfEphemeral(spec, mountable)
    if (problem !== undefined) throw apiError.internal(problem)
  }
}

/** A mirror pod of a static pod. It must not use API objects. */
function isMirror(pod: KubeObject): boolean {
  return entry(pod.metadata.annotations, mirrorAnnotation) !== undefined
}

/** The controller creates the default account shortly after its namespace, so a request waits for it. */
function accountOf(request: AdmissionRequest, spec: JsonObject, services: AdmissionServices): KubeObject {
  const name = text(spec.serviceAccountName)
  const { namespace, context } = request
  if (name === '') {
    throw rejected(request, `no service account specified for pod ${namespace}/${request.object?.metadata.name ?? ''}`)
  }
  let account = context.lookup('', 'serviceaccounts', namespace, name)
  if (account === undefined && name === defaultAccount) {
    context.askOutside(`ServiceAccount ${namespace}/${name}`, () => services.awaitAccount(namespace, name))
    account = context.lookup('', 'serviceaccounts', namespace, name)
  }
  if (account !== undefined) return account
  const what = `error looking up service account ${namespace}/${name}`
  throw rejected(request, `${what}: serviceaccount ${JSON.stringify(name)} not found`)
}

function automounts(spec: JsonObject, account: KubeObject): boolean {
  const mount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken
  return mount !== false
}

function validateReferences(request: AdmissionRequest, spec: JsonObject, account: KubeObject): void {
  const mountable = mountableOf(account)
  const problem = mountable && forbiddenReference(spec, mountable)
  if (problem !== undefined) throw rejected(request, problem)
}

function validateMirror(request: AdmissionRequest, spec: JsonObject): void {
  if (text(spec.serviceAccountName) !== '') throw rejected(request, 'a mirror pod may not reference service accounts')
  if (referencesSecrets(spec)) throw rejected(request, 'a mirror pod may not reference secrets')
  const sources = items(spec.volumes).flatMap((volume) => items(struct(volume.projected)?.sources))
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined)) {
    throw rejected(request, 'a mirror pod may not use ServiceAccountToken volume projections')
  }
}

/** Undefined unless the account restricts which secrets its pods may use. */
function mountableOf(account: KubeObject): Mountable | undefined {
  if (!trueTexts.has(entry(account.metadata.annotations, enforceAnnotation) ?? '')) return undefined
  return {
    account: account.metadata.name ?? '',
    secrets: new Set(items(account.secrets).map(({ name }) => text(name))),
    pullSecrets: new Set(items(account.imagePullSecrets).map(({ name }) => text(name))),
  }
}

const newPods = on('', 'pods', ['CREATE'])
const debugged = on('', 'pods', ['UPDATE'], ['ephemeralcontainers'])

export function serviceAccountPlugin(services: AdmissionServices): AdmissionPlugin {
  const accounts = new Accounts(services)
  return {
    name: 'ServiceAccount',
    mutate: { concerns: newPods, run: (request) => accounts.admit(request) },
    validate: {
      concerns: (target) => newPods(target) || debugged(target),
      run: (request) => {
        if (request.operation === 'CREATE') accounts.validate(request)
        else accounts.validateEphemeral(request)
      },
    },
  }
}
