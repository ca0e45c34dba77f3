/** The state of a CertificateSigningRequest, from its conditions. */
import type { CertificateSigningRequest, Live } from '../../index.ts'

type Conditions = NonNullable<NonNullable<CertificateSigningRequest['status']>['conditions']>
export type RequestCondition = Conditions[number]

export function conditionOf(
  { status }: Live<CertificateSigningRequest>,
  type: 'Approved' | 'Denied' | 'Failed',
): Readonly<RequestCondition> | undefined {
  return status?.conditions?.find((condition) => condition.type === type)
}

export function isIssued({ status }: Live<CertificateSigningRequest>): boolean {
  return (status?.certificate ?? '') !== ''
}

/** The PEM text of the request. */
export function requestText({ spec }: Live<CertificateSigningRequest>): string {
  return Buffer.from(spec.request, 'base64').toString('latin1')
}
