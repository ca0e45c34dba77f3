/** Commands that reach the same cluster as the doctor did. */
import type { DoctorReport } from './finding.ts'

export interface ChosenAccess {
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
}

export function withAccess(report: DoctorReport, { kubeconfig, context }: ChosenAccess): DoctorReport {
  const options = [
    ...(kubeconfig === undefined ? [] : ['--kubeconfig', shellWord(kubeconfig)]),
    ...(context === undefined ? [] : ['--context', shellWord(context)]),
  ].join(' ')
  if (options === '') return report
  const completed = (command: string): string =>
    command.replace(/(^|\| )(kubectl|coxswain doctor)(?= )/g, (found) => `${found} ${options}`)
  return { ...report, findings: report.findings.map((each) => ({ ...each, command: completed(each.command) })) }
}

/** In quotes, if a shell would take it for more than one word. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
