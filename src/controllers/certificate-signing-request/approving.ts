/**
 * The approving controller of CertificateSigningRequests: approves client certificates of kubelets, if a
 * SubjectAccessReview says that the requester may have them.
 */
import {
  CertificateSigningRequest,
  controller,
  mutableCopy,
  requeueAfter,
  SubjectAccessReview,
  type Live,
  type ReconcileContext,
} from '../../index.ts'
import { readCertificateRequest, type CertificateRequest } from '../../x509/index.ts'
import { conditionOf, isIssued, requestText } from './conditions.ts'
import { kubeletClientProblem, kubeletClientSigner } from './signers.ts'

type Context = ReconcileContext<CertificateSigningRequest>
type Request = Live<CertificateSigningRequest>

/** Until the right may have been granted. Upstream retries with a backoff. */
const retryPeriodMs = 60_000

/** What a request may be recognized as, and the right that it takes. */
const recognized = [
  {
    subresource: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
    matches: ({ spec }: Request, { commonName }: CertificateRequest) => (spec.username ?? '') === commonName,
  },
  {
    subresource: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    matches: () => true,
  },
]

export const requestApproval = controller(CertificateSigningRequest)
  .named('certificatesigningrequest-approving-controller')
  .only((object) => object.spec.signerName === kubeletClientSigner && isUndecided(object))
  .may('create', SubjectAccessReview)
  .options({ fieldManager: 'kube-controller-manager', concurrency: 5 })
  .reconcile(async (context) => {
    const { object } = context
    if (!isUndecided(object)) return undefined
    const request = readCertificateRequest(requestText(object))
    if (request === undefined) throw new Error('unable to parse the certificate request')
    if (kubeletClientProblem(request, object.spec.usages ?? []) !== undefined) return undefined
    for (const { subresource, message, matches } of recognized) {
      if (!matches(object, request) || !(await isAllowed(context, subresource))) continue
      await approve(context, message)
      return undefined
    }
    return requeueAfter(retryPeriodMs)
  })

function isUndecided(object: Request): boolean {
  return (
    !isIssued(object) && conditionOf(object, 'Approved') === undefined && conditionOf(object, 'Denied') === undefined
  )
}

async function isAllowed({ object, client, signal }: Context, subresource: string): Promise<boolean> {
  const { username, uid, groups, extra } = mutableCopy(object).spec
  const resourceAttributes = {
    group: 'certificates.k8s.io',
    resource: 'certificatesigningrequests',
    verb: 'create',
    subresource,
    version: '*',
  }
  const review = await client.create(
    SubjectAccessReview,
    {
      metadata: {},
      spec: {
        resourceAttributes,
        ...(username === undefined ? {} : { user: username }),
        ...(uid === undefined ? {} : { uid }),
        ...(groups === undefined ? {} : { groups }),
        ...(extra === undefined ? {} : { extra }),
      },
    },
    { signal },
  )
  return review.status?.allowed === true
}

async function approve({ object, client, signal }: Context, message: string): Promise<void> {
  const copy = mutableCopy(object)
  const condition = { type: 'Approved', status: 'True' as const, reason: 'AutoApproved', message }
  ;((copy.status ??= {}).conditions ??= []).push(condition)
  await client.update(CertificateSigningRequest, copy, { subresource: 'approval', signal })
}
