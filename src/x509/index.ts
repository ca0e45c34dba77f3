/** Certificate requests and their signing, for controllers. */
export { certificateEndMs } from './certificate.ts'
export { readCertificateRequest } from './certificate-request.ts'
export type { CertificateRequest } from './certificate-request.ts'
export type { SigningPolicy, SignRequest } from './request-signing.ts'
