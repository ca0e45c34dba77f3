/** How a report writes a call: without what differs from run to run. */
import { isExternalCall } from '../cluster/faulty-calls.ts'

export interface CallText {
  readonly method: string
  readonly path: string
}

export function callText({ method, path }: CallText): CallText {
  // The timeout of a watch is random.
  return { method, path: path.replace(/&timeoutSeconds=\d+/, '') }
}

/** `PATCH /api/v1/...`, `call registry.ensure` */
export function callLine(call: CallText | undefined): string {
  if (call === undefined) return 'nothing'
  if (isExternalCall(call)) return `call ${call.path}`
  const { method, path } = callText(call)
  return `${method} ${path}`
}
