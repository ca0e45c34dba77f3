/** A report for people. */
import type { DoctorReport } from './finding.ts'

export type ReportTone = 'plain' | 'good' | 'finding' | 'evidence' | 'command' | 'warning'

export interface ReportLine {
  readonly text: string
  readonly tone: ReportTone
}

export function reportLines({ subject, findings, unread }: DoctorReport): readonly ReportLine[] {
  const found = findings.flatMap(({ summary, evidence, command }, index): readonly ReportLine[] => [
    { text: '', tone: 'plain' },
    { text: `${index + 1}. ${summary}`, tone: 'finding' },
    ...evidence.map((text) => ({ text: `   ${text}`, tone: 'evidence' as const })),
    { text: `   → ${command}`, tone: 'command' },
  ])
  const lines: readonly ReportLine[] = [
    findings.length === 0
      ? { text: `${subject}: nothing wrong was found`, tone: 'good' }
      : { text: `${subject}: ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`, tone: 'plain' },
    ...found,
    ...(unread.length === 0 ? [] : ([{ text: '', tone: 'plain' }] as const)),
    ...unread.map(({ what, why }) => ({ text: `not read: ${what}: ${why}`, tone: 'warning' as const })),
  ]
  return lines.map(({ text, tone }) => ({ text: withoutControls(text), tone }))
}

/** Messages of objects are not trusted: they must not control the terminal. */
function withoutControls(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}
