/** Admission and conversion webhooks. */
export { mutating, validating } from './admission-webhook.ts'
export type {
  AdmissionContext,
  AdmissionOptions,
  AdmissionWebhook,
  FieldProblem,
  MutatingHandlers,
  ValidatingHandlers,
  ValidationResult,
} from './admission-webhook.ts'
export { converting } from './conversion-webhook.ts'
export type { Conversions, ConversionWebhook, Converted } from './conversion-webhook.ts'
export type { Webhook } from './webhook-server.ts'
