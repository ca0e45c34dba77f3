/** `POST …/serviceaccounts/NAME/token`: issues a token for a service account, optionally bound to an object. */
import { fieldError, type FieldError } from '../../api/field-error.ts'
import { isObject, type JsonObject } from '../../api/json.ts'
import { parseApiVersion, type KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { timestamp } from '../../env/env.ts'
import type { ServiceAccountTokens, TokenSpec } from '../auth/service-account-tokens.ts'
import { trackUpdate } from '../fields/track-update.ts'
import { Admission } from '../registry/admission.ts'
import { decodeBody } from '../registry/body.ts'
import { liveVersion, managerName, notFound, writeContext, type RegistryCall } from '../registry/call.ts'
import { matchNamespace } from '../registry/metadata.ts'
import { writeOptions } from '../registry/options.ts'
import { tokenRequestShape, tokenRequestType } from '../registry/token-request-type.ts'
import { trackContext } from '../registry/tracking.ts'

const group = 'authentication.k8s.io'
const kind = 'TokenRequest'
const minSeconds = 600
const maxSeconds = 2 ** 32

/**
 * Kubelets request tokens for pods with exactly this lifetime. Such a token is valid for a year and counts as stale
 * after the requested time, because some clients read the file only once.
 */
const extendableSeconds = 3607
const extendedSeconds = 365 * 24 * 60 * 60

export function requestToken(call: RegistryCall, accounts: ServiceAccountTokens): KubeObject {
  const options = writeOptions('CreateOptions', call.request.query)
  const { object: request } = decodeBody(call, tokenRequestType, options.fieldValidation)
  matchNamespace(request.metadata, call.resource, call.namespace)
  trackUpdate(undefined, request, managerName(options.fieldManager, call.request), {
    ...trackContext(call),
    shape: tokenRequestShape(),
    group,
    version: 'v1',
    kind,
    apiVersion: `${group}/v1`,
    resetPaths: [],
  })
  const admission = new Admission(call, 'CREATE', request, undefined, writeContext(call, options.dryRun))
  admission.mutate()
  const account = accountOf(call, request)
  const spec = structOf(request, 'spec')
  const given = strings(spec['audiences'])
  const audiences = given.length === 0 ? [accounts.issuer] : given
  const seconds = spec['expirationSeconds'] as number
  checkSeconds(seconds)
  admission.validate()
  const bound = boundObject(call, spec['boundObjectRef'])
  const isLong =
    bound.pod !== undefined &&
    seconds === extendableSeconds &&
    audiences.every((audience) => audience === accounts.issuer)
  const now = call.backend.env.now()
  const token = accounts.issue({
    account,
    audiences,
    expires: isLong ? extendedSeconds : seconds,
    warnAfter: isLong ? seconds : undefined,
    ...bound,
  })
  call.request.audit?.annotate('authentication.kubernetes.io/issued-credential-id', credentialId(token))
  const own = {
    name: call.name,
    namespace: call.namespace,
    uid: account.metadata.uid as string,
    creationTimestamp: timestamp(now),
  }
  return {
    kind,
    apiVersion: `${group}/v1`,
    // `own` twice: first for the field order of upstream, then to override what the client sent.
    metadata: { ...own, ...request.metadata, ...own },
    spec: { audiences: [...audiences], expirationSeconds: seconds, boundObjectRef: spec['boundObjectRef'] ?? null },
    status: { token, expirationTimestamp: timestamp(now + seconds * 1000) },
  }
}

/** The id of the token, as the user of the token has it. */
function credentialId(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { readonly jti: string }
  return `JTI=${claims.jti}`
}

/** The service account. Throws if the name or uid in the request's metadata differs. */
function accountOf(call: RegistryCall, { metadata }: KubeObject): KubeObject {
  const { name, uid } = metadata
  if ((name ?? '') !== '' && name !== call.name) {
    throw apiError.invalid(group, kind, call.name, [
      fieldError.invalid('metadata.name', name, 'must match the service account name if specified'),
    ])
  }
  const account = liveVersion(call)?.object
  if (account === undefined) throw notFound(call)
  if ((uid ?? '') !== '' && uid !== account.metadata.uid) {
    const why =
      `the UID in the token request (${uid}) does not match the UID of the service account ` +
      `(${account.metadata.uid})`
    throw apiError.conflict({ group, resource: kind }, call.name, why)
  }
  return account
}

function checkSeconds(seconds: number): void {
  const errors: FieldError[] = []
  const field = 'spec.expirationSeconds'
  if (seconds < minSeconds)
    errors.push(fieldError.invalid(field, seconds, 'may not specify a duration less than 10 minutes'))
  if (seconds > maxSeconds)
    errors.push(fieldError.invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds'))
  if (errors.length > 0) throw apiError.invalid(group, kind, '', errors)
}

type Bound = Pick<TokenSpec, 'pod' | 'secret' | 'node'>

const unbound: Bound = { pod: undefined, secret: undefined, node: undefined }

function boundObject(call: RegistryCall, ref: unknown): Bound {
  if (!isObject(ref)) return unbound
  const apiVersion = text(ref['apiVersion'])
  const type = text(ref['kind'])
  const name = text(ref['name'])
  const parsed = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  if (parsed.group !== '' || (type !== 'Pod' && type !== 'Node' && type !== 'Secret')) {
    throw apiError.badRequest(`cannot bind token to object of type ${parsed.group}/${parsed.version}, Kind=${type}`)
  }
  if (name === '') throw apiError.badRequest('Name parameter required.')
  const plural = `${type.toLowerCase()}s`
  const context = writeContext(call, false)
  const object = context.lookup('', plural, type === 'Node' ? '' : call.namespace, name)
  if (object === undefined) throw apiError.notFound({ group: '', resource: plural }, name)
  if (type === 'Pod' && structOf(object, 'spec')['serviceAccountName'] !== call.name) {
    const account = JSON.stringify(call.name)
    throw apiError.badRequest(
      `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`,
    )
  }
  const { uid } = object.metadata
  if (text(ref['uid']) !== '' && ref['uid'] !== uid) {
    const why =
      `the UID in the bound object reference (${text(ref['uid'])}) does not match the UID in record. ` +
      'The object might have been deleted and then recreated'
    throw apiError.conflict({ group: '', resource: type }, name, why)
  }
  if (type === 'Secret') return { ...unbound, secret: object }
  if (type === 'Node') return { ...unbound, node: { name, uid } }
  const node = text(structOf(object, 'spec')['nodeName'])
  if (node === '') return { ...unbound, pod: object }
  return { ...unbound, pod: object, node: { name: node, uid: context.lookup('', 'nodes', '', node)?.metadata.uid } }
}

function structOf(object: KubeObject, field: string): JsonObject {
  const value = object[field]
  return isObject(value) ? value : {}
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as string[]) : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
