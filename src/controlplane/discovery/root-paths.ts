/** The list of paths at `/`. */
import { healthChecks } from './health.ts'
import type { ServedGroup } from './served-groups.ts'

const fixed = [
  '/.well-known/openid-configuration',
  '/api',
  '/apis',
  '/apis/',
  '/metrics',
  '/metrics/slis',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/openid/v1/jwks',
  '/version',
]

export function rootPaths(core: ServedGroup, groups: readonly ServedGroup[]): string[] {
  const paths = [...fixed]
  for (const { version } of core.versions) paths.push(`/api/${version}`)
  for (const { name, versions } of groups) {
    paths.push(`/apis/${name}`)
    for (const { version } of versions) paths.push(`/apis/${name}/${version}`)
  }
  for (const [endpoint, checks] of healthChecks) {
    paths.push(`/${endpoint}`)
    for (const check of checks) paths.push(`/${endpoint}/${check}`)
  }
  return paths.sort()
}
