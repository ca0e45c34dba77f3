/**
 * The named formats of Kubernetes: names, label values, and some OpenAPI formats, with their validation messages.
 */
import { checkLabelValue, checkQualifiedName, nameChecks } from '../../../api/names.ts'
import { parseTimestamp } from '../standard/timestamp.ts'
import { urlProblem } from '../url/library.ts'

export interface NamedFormat {
  /** The name that the format reports, which can differ from its key. */
  readonly name: string
  /** The errors of a text; empty if it is valid. */
  readonly validate: (text: string) => readonly string[]
  /** The length of an equivalent pattern; it determines the cost of a call. */
  readonly patternSize: number
}

/** The longest pattern that the static estimate assumes. */
export const maxPatternLength = 128

const none: readonly string[] = []
const matching = (fits: (text: string) => boolean, problem: string) => {
  const problems = [problem]
  return (text: string) => (fits(text) ? none : problems)
}

const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/
const datePattern = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
const timePattern = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/u

function isDate(text: string): boolean {
  return datePattern.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined
}

function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t')
  if (date === undefined || time === undefined || !isDate(date)) return false
  const found = timePattern.exec(time)
  return found !== null && Number(found[1]) <= 23 && Number(found[2]) <= 59 && Number(found[3]) <= 59
}

function uriProblems(text: string): readonly string[] {
  const problem = urlProblem(text)
  return problem === undefined ? none : [problem]
}

/** By the name in `format.named` and `format.<name>()`. */
export const namedFormats: ReadonlyMap<string, NamedFormat> = new Map<string, NamedFormat>([
  ['dns1123Label', { name: 'DNS1123Label', validate: (text) => nameChecks.label(text, false), patternSize: 30 }],
  [
    'dns1123Subdomain',
    { name: 'DNS1123Subdomain', validate: (text) => nameChecks.subdomain(text, false), patternSize: 60 },
  ],
  ['dns1035Label', { name: 'DNS1035Label', validate: (text) => nameChecks.label1035(text, false), patternSize: 30 }],
  ['qualifiedName', { name: 'QualifiedName', validate: checkQualifiedName, patternSize: 60 }],
  [
    'dns1123LabelPrefix',
    { name: 'DNS1123LabelPrefix', validate: (text) => nameChecks.label(text, true), patternSize: 30 },
  ],
  [
    'dns1123SubdomainPrefix',
    { name: 'DNS1123SubdomainPrefix', validate: (text) => nameChecks.subdomain(text, true), patternSize: 60 },
  ],
  [
    'dns1035LabelPrefix',
    { name: 'DNS1035LabelPrefix', validate: (text) => nameChecks.label1035(text, true), patternSize: 30 },
  ],
  ['labelValue', { name: 'LabelValue', validate: checkLabelValue, patternSize: 40 }],
  ['uri', { name: 'URI', validate: uriProblems, patternSize: 1103 }],
  [
    'uuid',
    {
      name: 'uuid',
      patternSize: 70,
      validate: matching((text) => uuidPattern.test(text), 'does not match the UUID format'),
    },
  ],
  [
    'byte',
    {
      name: 'byte',
      patternSize: 84,
      validate: matching((text) => base64Pattern.test(text), 'invalid base64'),
    },
  ],
  ['date', { name: 'date', validate: matching(isDate, 'invalid date'), patternSize: 71 }],
  ['datetime', { name: 'datetime', validate: matching(isDateTime, 'invalid datetime'), patternSize: 71 }],
])
