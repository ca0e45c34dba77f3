/** Makes the report of an exploration, joins those of several processes, and writes it as JSON. */
import { joinCoverage } from '../coverage.ts'
import { reportVersion, type ExploreReport } from './report.ts'
import { reportText } from './report-text.ts'

export function makeReport(done: Omit<ExploreReport, 'text' | 'version'>): ExploreReport {
  return { version: reportVersion, ...done, text: reportText(done) }
}

/** Joins the reports of several processes into one. */
export function joinReports(reports: readonly Omit<ExploreReport, 'text'>[]): ExploreReport {
  const found = new Map(reports.flatMap(({ failures }) => failures).map((failure) => [failure.id, failure]))
  const sum = (count: (report: Omit<ExploreReport, 'text'>) => number): number =>
    reports.reduce((total, report) => total + count(report), 0)
  return makeReport({
    steps: reports[0]?.steps ?? [],
    tried: sum(({ tried }) => tried),
    coverage: joinCoverage(reports.map(({ coverage }) => coverage)),
    took: Math.max(0, ...reports.map(({ took }) => took)),
    processes: sum(({ processes }) => processes),
    singleFaults: reports.flatMap(({ singleFaults }) => singleFaults),
    failures: [...found.values()],
  })
}

/** The report without its text, which follows from the rest. */
export function reportJson(report: ExploreReport): string {
  return `${JSON.stringify({ ...report, text: undefined })}\n`
}
