/** CertificateSigningRequest: the server records the requesting user, and the spec is immutable. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { KubeObject } from '../../../api/object.ts'
import { certificateRequestProblem } from '../../../x509/request-problem.ts'
import type { WriteContext } from '../../contract/resource.ts'
import type { KindStrategy } from '../kind-strategy.ts'
import { checkSupported } from '../shared/errors.ts'
import { approvalRules, checkChange, checkRequestConditions, keepDecisions, stampConditions } from './conditions.ts'
import { maybeInt, specOf, strings, struct, text } from '../shared/values.ts'

const minExpirationSeconds = 600
const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]

function setDefaults(object: KubeObject): void {
  if (struct(object.status) === undefined) object.status = {}
}

function prepareForCreate(object: KubeObject, context: WriteContext): void {
  const spec = specOf(object)
  const { name, uid, groups, extra } = context.user
  for (const field of ['username', 'uid', 'groups', 'extra'] as const) delete spec[field]
  if (name !== '') spec.username = name
  if (uid !== '') spec.uid = uid
  if (groups.length > 0) spec.groups = [...groups]
  if (extra !== undefined && Object.keys(extra).length > 0) {
    spec.extra = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]))
  }
}

function validate(object: KubeObject): FieldError[] {
  return check(object)
}

function check(object: KubeObject, old?: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const spec = specOf(object)
  const request = Buffer.from(text(spec.request), 'base64').toString('latin1')
  const problem = certificateRequestProblem(request)
  if (problem !== undefined) errors.push(fieldError.invalid('spec.request', spec.request ?? null, problem))
  const given = strings(spec.usages)
  if (given.length === 0) errors.push(fieldError.required('spec.usages'))
  for (const [i, usage] of given.entries()) checkSupported(errors, `spec.usages[${i}]`, usage, usages)
  const seen = new Set<string>()
  for (const [i, usage] of given.entries()) {
    if (seen.size === seen.add(usage).size) errors.push(fieldError.duplicate(`spec.usages[${i}]`, usage))
  }
  const signer = text(spec.signerName)
  if (signer === 'kubernetes.io/legacy-unknown') {
    errors.push(
      fieldError.invalid('spec.signerName', signer, 'the legacy signerName is not allowed via this API version'),
    )
  } else if (!/^[^/]+\/.+$/.test(signer)) {
    const message = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    errors.push(
      signer === '' ? fieldError.required('spec.signerName') : fieldError.invalid('spec.signerName', signer, message),
    )
  }
  const seconds = maybeInt(spec.expirationSeconds)
  if (seconds !== undefined && seconds < minExpirationSeconds) {
    const message = `may not specify a duration less than ${minExpirationSeconds} seconds (10 minutes)`
    errors.push(fieldError.invalid('spec.expirationSeconds', seconds, message))
  }
  checkRequestConditions(errors, object, old)
  checkCertificate(errors, text(struct(object.status)?.certificate), text(struct(old?.status)?.certificate))
  return errors
}

/** An update of the main resource changes only metadata. */
function prepareForUpdate(object: KubeObject, old: KubeObject): void {
  if (old.spec !== undefined) object.spec = old.spec
}

/** The certificate must be PEM and contain only certificates. An unchanged one is not checked again. */
function checkCertificate(errors: FieldError[], certificate: string, old: string): void {
  if (certificate === '' || certificate === old) return
  const pem = Buffer.from(certificate, 'base64').toString('latin1')
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return
  errors.push(
    fieldError.invalid('status.certificate', '<certificate data>', 'must contain at least one CERTIFICATE PEM block'),
  )
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors = check(object, old)
  checkChange(errors, object, old, { mayDecide: false, mayIssue: false })
  return errors
}

function prepareForStatusUpdate(object: KubeObject, old: KubeObject, context: WriteContext): void {
  keepDecisions(object, old)
  stampConditions(object, old, context)
}

function validateStatusUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors = check(object, old)
  checkChange(errors, object, old, { mayDecide: false, mayIssue: true })
  return errors
}

export const certificateSigningRequest: KindStrategy = {
  default: setDefaults,
  prepareForCreate,
  prepareForUpdate,
  prepareForStatusUpdate,
  validate,
  validateUpdate,
  validateStatusUpdate,
  subresources: { approval: approvalRules(check) },
}
