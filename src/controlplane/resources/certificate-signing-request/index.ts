/** CertificateSigningRequest: who asks is written down by the server, and nothing of it changes. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { WriteContext } from '../../registry/resource.ts'
import type { KindRules } from '../kind-rules.ts'
import { maybeInt, size, specOf, struct, text } from '../shared/values.ts'

const minExpiration = 600

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
  const errors: FieldError[] = []
  const spec = specOf(object)
  const request = Buffer.from(text(spec.request), 'base64').toString('latin1')
  if (!request.includes('-----BEGIN CERTIFICATE REQUEST-----')) {
    errors.push(fieldError.invalid('spec.request', text(spec.request), 'PEM block type must be CERTIFICATE REQUEST'))
  }
  if (size(spec.usages) === 0) errors.push(fieldError.required('spec.usages'))
  const signer = text(spec.signerName)
  if (!/^[^/]+\/.+$/.test(signer)) {
    const message = 'must be a fully qualified domain and path of the form \'example.com/signer-name\''
    errors.push(signer === '' ? fieldError.required('spec.signerName') : fieldError.invalid('spec.signerName', signer, message))
  }
  const seconds = maybeInt(spec.expirationSeconds)
  if (seconds !== undefined && seconds < minExpiration) {
    const message = `may not specify a duration less than ${minExpiration} seconds (10 minutes)`
    errors.push(fieldError.invalid('spec.expirationSeconds', seconds, message))
  }
  return errors
}

/** The main resource changes nothing but metadata. */
function prepareForUpdate(object: KubeObject, old: KubeObject): void {
  if (old.spec !== undefined) object.spec = old.spec
}

export const certificateSigningRequest: KindRules = {
  default: setDefaults, prepareForCreate, prepareForUpdate, validate,
}
