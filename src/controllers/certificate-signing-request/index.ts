/**
 * The signing controller of CertificateSigningRequests: 1 take approved requests for a signer of
 * kube-controller-manager, 2 check that the signer accepts the request, otherwise mark it as failed, 3 sign it and
 * store the certificate.
 */
import {
  CertificateSigningRequest,
  controller,
  mutableCopy,
  type ControllerDefinition,
  type Live,
  type ReconcileContext,
} from '../../index.ts'
import { readCertificateRequest, type SignRequest } from '../../x509/index.ts'
import { conditionOf, isIssued, requestText, type RequestCondition } from './conditions.ts'
import { isSigner, signerProblem } from './signers.ts'

const maxValidMs = 365 * 24 * 60 * 60 * 1000
const minValidMs = 10 * 60 * 1000

export function requestSigning(sign: SignRequest): ControllerDefinition<CertificateSigningRequest> {
  return controller(CertificateSigningRequest)
    .named('certificatesigningrequest-signing-controller')
    .only((request) => isSigner(request.spec.signerName) && isWaiting(request))
    .options({ fieldManager: 'kube-controller-manager', concurrency: 5 })
    .reconcile(async (context) => {
      const { object } = context
      if (!isWaiting(object)) return
      const { signerName, usages = [], expirationSeconds } = object.spec
      const text = requestText(object)
      const request = readCertificateRequest(text)
      if (request === undefined) throw new Error('unable to parse the certificate request')
      const problem = signerProblem(signerName, request, usages)
      if (problem === undefined) {
        const certificate = sign(text, { usages, validMs: validMs(expirationSeconds) })
        await updateStatus(context, { certificate: Buffer.from(certificate).toString('base64') })
        return
      }
      const lastUpdateTime = new Date(context.now()).toISOString().replace(/\.\d+Z$/, 'Z')
      const failed = {
        type: 'Failed',
        status: 'True' as const,
        reason: 'SignerValidationFailure',
        message: problem,
      }
      await updateStatus(context, { failed: { ...failed, lastUpdateTime } })
    })
}

/** Approved, and neither signed nor failed. */
function isWaiting(request: Live<CertificateSigningRequest>): boolean {
  if (isIssued(request) || conditionOf(request, 'Denied') !== undefined) return false
  return conditionOf(request, 'Approved') !== undefined && conditionOf(request, 'Failed')?.status !== 'True'
}

function validMs(expirationSeconds: number | undefined): number {
  if (expirationSeconds === undefined) return maxValidMs
  return Math.max(minValidMs, Math.min(expirationSeconds * 1000, maxValidMs))
}

async function updateStatus(
  { object, client, signal }: ReconcileContext<CertificateSigningRequest>,
  { certificate, failed }: { readonly certificate?: string; readonly failed?: RequestCondition },
): Promise<void> {
  const copy = mutableCopy(object)
  copy.status ??= {}
  if (certificate !== undefined) copy.status.certificate = certificate
  if (failed !== undefined) (copy.status.conditions ??= []).push(failed)
  await client.update(CertificateSigningRequest, copy, { subresource: 'status', signal })
}
