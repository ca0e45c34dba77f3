/**
 * The cleaner of CertificateSigningRequests: deletes them an hour after they were approved and signed, denied or
 * failed, when their certificate expires, and after a day without a decision or a certificate.
 */
import { CertificateSigningRequest, controller, isNotFound, keyOf, requeueAfter, type Live } from '../../index.ts'
import { certificateEndMs } from '../../x509/index.ts'
import { conditionOf, isIssued } from './conditions.ts'

const decidedMs = 60 * 60 * 1000
const undecidedMs = 24 * 60 * 60 * 1000

export const requestCleaner = controller(CertificateSigningRequest)
  .named('certificatesigningrequest-cleaner-controller')
  .options({ fieldManager: 'kube-controller-manager' })
  .reconcile(async ({ object, client, signal, now }) => {
    const dueAt = expiresAt(object)
    if (dueAt === Infinity) return undefined
    if (dueAt >= now()) return requeueAfter(dueAt - now() + 1)
    try {
      await client.delete(CertificateSigningRequest, keyOf(object), { uid: object.metadata.uid, signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    return undefined
  })

/** Milliseconds since the epoch; the request is deleted after that. */
function expiresAt(request: Live<CertificateSigningRequest>): number {
  const { metadata, status } = request
  const [approved, denied, failed] = [
    conditionOf(request, 'Approved'),
    conditionOf(request, 'Denied'),
    conditionOf(request, 'Failed'),
  ]
  const after = (time: string | undefined, ms: number): number =>
    time === undefined ? Infinity : Date.parse(time) + ms
  const times: number[] = []
  if ((status?.conditions ?? []).length === 0) times.push(after(metadata.creationTimestamp, undecidedMs))
  if (denied !== undefined) times.push(after(denied.lastUpdateTime, decidedMs))
  if (failed !== undefined) times.push(after(failed.lastUpdateTime, decidedMs))
  if (approved !== undefined && !isIssued(request)) times.push(after(approved.lastUpdateTime, undecidedMs))
  if (approved !== undefined && isIssued(request)) {
    const certificate = Buffer.from(status?.certificate ?? '', 'base64').toString('latin1')
    times.push(after(approved.lastUpdateTime, decidedMs), certificateEndMs(certificate) ?? Infinity)
  }
  return Math.min(Infinity, ...times)
}
