/**
 * CertificateApproval and CertificateSigning: approving and signing a request needs permission for its signer.
 * CertificateSubjectRestriction: rejects client certificates of the API server for the group system:masters.
 */
import { goQuote } from '../../api/go-format.ts'
import { equalJson } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { AdmissionRequest } from '../registry/admission.ts'
import { struct, text } from '../resources/shared/values.ts'
import { readCertificateRequest } from '../../x509/certificate-request.ts'
import { on, rejected, type AdmissionPlugin, type AdmissionServices } from './plugin.ts'

const group = 'certificates.k8s.io'
const plural = 'certificatesigningrequests'
const clientSigner = 'kubernetes.io/kube-apiserver-client'
const masters = 'system:masters'

function checkSigner(services: AdmissionServices, request: AdmissionRequest, verb: string): void {
  const signer = text(struct(request.old?.spec)?.signerName)
  const anyOfDomain = `${signer.split('/', 1)[0]}/*`
  const { user } = request.context
  if ([signer, anyOfDomain].some((name) => services.authorizes(user, verb, group, 'signers', name))) return
  throw rejected(request, `user not permitted to ${verb} requests with signerName ${goQuote(signer)}`)
}

export function certificateApproval(services: AdmissionServices): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    validate: {
      concerns: on(group, plural, ['UPDATE'], ['approval']),
      run: (request) => checkSigner(services, request, 'approve'),
    },
  }
}

export function certificateSigning(services: AdmissionServices): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    validate: {
      concerns: on(group, plural, ['UPDATE'], ['status']),
      run: (request) => {
        const before = struct(request.old?.status)
        const after = struct(request.object?.status)
        const same =
          text(before?.certificate) === text(after?.certificate) &&
          equalJson(before?.conditions ?? [], after?.conditions ?? [])
        if (!same) checkSigner(services, request, 'sign')
      },
    },
  }
}

function checkSubject(request: AdmissionRequest): void {
  const spec = struct((request.object as KubeObject).spec)
  if (spec?.signerName !== clientSigner) return
  const read = readCertificateRequest(Buffer.from(text(spec.request), 'base64').toString('latin1'))
  if (read === undefined) throw rejected(request, 'failed to parse CSR: PEM block type must be CERTIFICATE REQUEST')
  if (!read.organizations.includes(masters)) return
  throw rejected(request, `use of ${clientSigner} signer with ${masters} group is not allowed`)
}

export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  validate: { concerns: on(group, plural, ['CREATE']), run: checkSubject },
}
