/** Systems other than Kubernetes that an operator calls. */
export { external } from './external.ts'
export type {
  ConnectContext,
  External,
  ExternalApi,
  ExternalModel,
  ExternalOptions,
  ExternalSystem,
  Modelled,
} from './external.ts'
export type { Use } from './external-user.ts'
export { ExternalError } from './external-error.ts'
