/** One audit event (audit.k8s.io/v1): what is known of a request at a stage, and its line in the log. */
import { goQuote } from '../../api/go-format.ts'
import type { Json, JsonObject } from '../../api/json.ts'
import type { UserInfo } from '../contract/resource.ts'
import type { RequestInfo } from '../registry/request-info.ts'
import type { AuditLevel, AuditStage } from './policy.ts'

export type AuditFormat = 'json' | 'legacy'

/** What the events of one request have in common. Filled in as the request is handled. */
export interface AuditRecord {
  readonly level: AuditLevel
  readonly auditId: string
  readonly requestUri: string
  readonly info: RequestInfo
  /** Undefined: authentication failed. */
  readonly user: UserInfo | undefined
  readonly sourceIps: readonly string[]
  readonly userAgent: string
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  impersonatedUser?: UserInfo | undefined
  /** From the request's object, if the path has none. */
  objectMetadata?: { readonly [name in 'namespace' | 'name' | 'uid' | 'resourceVersion']?: string } | undefined
  requestObject?: Json | undefined
  responseStatus?: Json | undefined
  responseObject?: Json | undefined
  readonly annotations: Map<string, string>
}

/** The line without its newline. Fields are in upstream's order. */
export function auditLine(record: AuditRecord, stage: AuditStage, at: number, format: AuditFormat): string {
  return format === 'legacy' ? legacyLine(record, stage) : JSON.stringify(eventOf(record, stage, at))
}

function eventOf(record: AuditRecord, stage: AuditStage, at: number): object {
  const { user, impersonatedUser, sourceIps, userAgent } = record
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: record.level,
    auditID: record.auditId,
    stage,
    requestURI: record.requestUri,
    verb: record.info.verb,
    user: user === undefined ? {} : userOf(user),
    impersonatedUser: impersonatedUser === undefined ? undefined : userOf(impersonatedUser),
    sourceIPs: sourceIps.length === 0 ? undefined : sourceIps,
    userAgent: userAgent || undefined,
    objectRef: objectReference(record),
    responseStatus: record.responseStatus,
    requestObject: record.requestObject,
    responseObject: record.responseObject,
    requestReceivedTimestamp: microTime(record.receivedAt),
    stageTimestamp: microTime(stage === 'RequestReceived' ? record.receivedAt : at),
    annotations: annotationsOf(record),
  }
}

/** Sorted by key. */
function annotationsOf({ annotations }: AuditRecord): object | undefined {
  if (annotations.size === 0) return undefined
  return Object.fromEntries([...annotations].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function userOf({ name, uid, groups, extra }: UserInfo): object {
  return {
    username: name || undefined,
    uid: uid || undefined,
    groups: groups.length === 0 ? undefined : groups,
    extra: extra === undefined || Object.keys(extra).length === 0 ? undefined : extra,
  }
}

function objectReference({ info, objectMetadata }: AuditRecord): object | undefined {
  if (!info.isResource) return undefined
  return {
    resource: info.resource || undefined,
    namespace: info.namespace || objectMetadata?.namespace || undefined,
    name: info.name || objectMetadata?.name || undefined,
    uid: objectMetadata?.uid || undefined,
    apiGroup: info.group || undefined,
    apiVersion: info.version || undefined,
    resourceVersion: objectMetadata?.resourceVersion || undefined,
    subresource: info.subresource || undefined,
  }
}

/** The clock has milliseconds. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}

function legacyLine(record: AuditRecord, stage: AuditStage): string {
  const { user, impersonatedUser, info, objectMetadata, responseStatus } = record
  const quoted = (texts: readonly string[]): string => texts.map(goQuote).join(',')
  const groups = user === undefined || user.groups.length === 0 ? '<none>' : quoted(user.groups)
  const namespace = info.isResource ? info.namespace || objectMetadata?.namespace || '<none>' : '<none>'
  const code = responseStatus === undefined ? '<deferred>' : String((responseStatus as JsonObject)['code'] ?? 0)
  const fields = [
    `id=${goQuote(record.auditId)}`,
    `stage=${goQuote(stage)}`,
    `ip=${goQuote(record.sourceIps[0] ?? '<unknown>')}`,
    `method=${goQuote(info.verb)}`,
    `user=${goQuote(user?.name || '<none>')}`,
    `groups=${goQuote(groups)}`,
    `as=${goQuote(impersonatedUser?.name ?? '<self>')}`,
    `asgroups=${goQuote(impersonatedUser === undefined ? '<lookup>' : quoted(impersonatedUser.groups))}`,
    `user-agent=${goQuote(record.userAgent)}`,
    `namespace=${goQuote(namespace)}`,
    `uri=${goQuote(record.requestUri)}`,
    `response="${code}"`,
  ]
  const time = new Date(record.receivedAt).toISOString().replace(/\.?0*Z$/, 'Z')
  return `${time} AUDIT: ${fields.join(' ')}`
}
