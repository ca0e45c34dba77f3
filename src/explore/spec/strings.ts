/** Strings that specs of Kubernetes usually have, for fields of which only the schema is known. */

/** By the last part of a field's name: the first that matches. */
const byName: readonly (readonly [name: RegExp, strings: readonly string[]])[] = [
  [/image$/i, ['nginx:1.27', 'busybox:1.36', 'example']],
  [/fieldPath$/, ['metadata.name', 'metadata.namespace', 'spec.nodeName']],
  [/host(name)?s?$|domain/i, ['example.com', 'www.example.com']],
  [/path$|dir$/i, ['/example', '/']],
  [/ur[il]s?$|endpoints?$/i, ['https://example.com/', 'https://example.com/other']],
  [/schedule|cron/i, ['*/5 * * * *', '0 3 * * *']],
  [/timeZone/i, ['Etc/UTC', 'Europe/Berlin']],
  [/duration|timeout|interval|period|ttl$/i, ['30s', '1m0s']],
  [/apiVersion$/, ['v1', 'apps/v1']],
  [/^kind$/, ['ConfigMap', 'Secret']],
  [/port$/i, ['http', 'https']],
]

/** At least one of each format that a server checks. */
const usual: readonly string[] = [
  'example',
  'another-example',
  'a',
  'b',
  '1',
  '2',
  'Example',
  'EXAMPLE',
  '/example',
  '/other',
  'example.com',
  'www.example.com',
  '10m',
  '20m',
  '1Gi',
  '2Gi',
  '50%',
  '2030-01-01T00:00:00Z',
  '2031-01-01T00:00:00Z',
  '2030-01-01',
  '2031-01-01',
  '10.0.0.1',
  '10.0.0.2',
  'fd00::1',
  '10.0.0.0/24',
  'https://example.com/',
  'user@example.com',
  '00:00:5e:00:53:01',
  '6ba7b810-9dad-31d1-80b4-00c04fd430c8',
  '6ba7b810-9dad-41d1-80b4-00c04fd430c8',
  '6ba7b810-9dad-51d1-80b4-00c04fd430c8',
  'aGVsbG8=',
  '#ffffff',
  'rgb(1,2,3)',
  '0123456789abcdef01234567',
  '0-306-40615-2',
  '978-0-306-40615-7',
  '4111111111111111',
  '123-45-6789',
]

/** What most patterns and formats forbid. */
export const unusual: readonly string[] = ['no such value!', '-', '', '\u{1f6a2}', 'A_B', '1 2', '.']

/** Candidates for a field, the likeliest first. They need not fit the schema. */
export function likelyStrings(field: string, current: string | undefined): readonly string[] {
  const hinted = byName.find(([name]) => name.test(field))?.[1] ?? []
  const near = current === undefined || current === '' ? [] : [`${current}x`, `${current}1`, current.slice(0, -1)]
  return [...hinted, ...(hinted.length === 0 ? near : []), ...usual, ...(hinted.length === 0 ? [] : near)]
}

/** Strings of exactly this length, of which one may fit a pattern. */
export function longStrings(length: number): readonly string[] {
  const filled = (start: string, end = ''): string =>
    `${start}${'a'.repeat(Math.max(0, length - start.length - end.length))}${end}`
  return [filled(''), filled('/'), 'a.'.repeat(length).slice(0, length - 1) + 'a', '1'.repeat(length), filled('', ':1')]
}
