/**
 * ServiceAccount: every pod runs as a service account of its namespace, with the token and pull secrets of that
 * account.
 */
import type { JsonObject } from '../../api/json.ts'
import { generatedName } from '../../api/names.ts'
import type { KubeObject } from '../../api/object.ts'
import { thaw } from '../../api/recurring-part.ts'
import { apiError } from '../../api/status.ts'
import type { AdmissionRequest } from '../registry/admission.ts'
import { entry, items, size, specOf, struct, text } from '../resources/shared/values.ts'
import { on, rejected, type AdmissionPlugin } from './plugin.ts'
import { forbiddenReference, referencesSecrets, secretsOfEphemeral, type Mountable } from './secret-references.ts'

const defaultAccount = 'default'
const mirrorAnnotation = 'kubernetes.io/config.mirror'
const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets'
const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const tokenVolume = 'kube-api-access-'
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount'
/** An hour and seven seconds, as upstream: tells these tokens from tokens that were requested for one hour. */
const tokenSeconds = 3607

function admit(request: AdmissionRequest): void {
  const pod = request.object as KubeObject
  if (isMirror(pod)) return validateNew(request)
  const spec = specOf(pod)
  if (text(spec.serviceAccountName) === '') {
    spec.serviceAccountName = defaultAccount
    spec.serviceAccount = defaultAccount
  }
  const account = accountOf(request, spec)
  if (automounts(spec, account)) mountToken(spec, () => request.context.env.random())
  if (size(spec.imagePullSecrets) === 0) {
    const secrets = items(account.imagePullSecrets).map(({ name }) => (text(name) === '' ? {} : { name: text(name) }))
    if (secrets.length > 0) spec.imagePullSecrets = secrets
  }
  validateNew(request)
}

/** A mirror pod of a static pod. It must not use API objects. */
function isMirror(pod: KubeObject): boolean {
  return entry(pod.metadata.annotations, mirrorAnnotation) !== undefined
}

function accountOf(request: AdmissionRequest, spec: JsonObject): KubeObject {
  const name = text(spec.serviceAccountName)
  const { namespace } = request
  if (name === '') {
    throw rejected(request, `no service account specified for pod ${namespace}/${request.object?.metadata.name ?? ''}`)
  }
  const account = request.context.lookup('', 'serviceaccounts', namespace, name)
  if (account !== undefined) return account
  const what = `error looking up service account ${namespace}/${name}`
  throw rejected(request, `${what}: serviceaccount ${JSON.stringify(name)} not found`)
}

function automounts(spec: JsonObject, account: KubeObject): boolean {
  const mount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken
  return mount !== false
}

function mountToken(spec: JsonObject, random: () => number): void {
  thaw(spec)
  const present = items(spec.volumes).find(({ name }) => text(name).startsWith(tokenVolume))
  const name = present === undefined ? generatedName(tokenVolume, random) : text(present.name)
  let isNeeded = false
  for (const container of [...items(spec.initContainers), ...items(spec.containers)]) {
    const mounts = items(container.volumeMounts)
    if (mounts.some(({ mountPath }) => mountPath === tokenPath)) continue
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: tokenPath }]
    isNeeded = true
  }
  if (present === undefined && isNeeded) spec.volumes = [...items(spec.volumes), { name, projected: tokenSource() }]
}

function tokenSource(): JsonObject {
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: 0o644,
  }
}

function validateNew(request: AdmissionRequest): void {
  const pod = request.object as KubeObject
  const spec = specOf(pod)
  if (isMirror(pod)) return validateMirror(request, spec)
  const account = accountOf(request, spec)
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

function validateEphemeral(request: AdmissionRequest): void {
  const spec = specOf(request.object as KubeObject)
  const mountable = mountableOf(accountOf(request, spec))
  const problem = mountable && secretsOfEphemeral(spec, mountable)
  if (problem !== undefined) throw apiError.internal(problem)
}

const newPods = on('', 'pods', ['CREATE'])
const debugged = on('', 'pods', ['UPDATE'], ['ephemeralcontainers'])

export const serviceAccountPlugin: AdmissionPlugin = {
  name: 'ServiceAccount',
  mutate: { concerns: newPods, run: admit },
  validate: {
    concerns: (target) => newPods(target) || debugged(target),
    run: (request) => {
      if (request.operation === 'CREATE') validateNew(request)
      else validateEphemeral(request)
    },
  },
}
