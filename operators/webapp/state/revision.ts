/**
 * Revisions: a digest of everything that shapes the pods. The last good revision is kept whole, so that an app can be
 * rolled back to it; the failed one is remembered, so that it is not tried for ever.
 */
import { hash } from 'node:crypto'
import type { DeepReadonly } from 'coxswain/api'
import type { Json, JsonObject, Live } from 'coxswain'
import { podFieldNames } from '../schema/pods.ts'
import type { WebApp, WebAppSpec } from '../schema/webapp.ts'

/** What a revision is made of. */
interface Template {
  readonly spec: Readonly<JsonObject>
  readonly checksum?: string | undefined
}

/** What should run. */
export interface Target {
  readonly digest: string
  readonly spec: DeepReadonly<WebAppSpec>
  readonly checksum?: string | undefined
  /** All of it, as text, for the status. */
  readonly template: string
  /** It is the last good revision, in place of the one that the spec asks for, which has failed. */
  readonly isPinned: boolean
  /** Of what the spec asks for. */
  readonly requested: string
}

/** `isForced`: what the spec asks for, whether or not it has failed. */
export function target(
  app: Live<WebApp>,
  checksum: string | undefined,
  status = app.status ?? {},
  isForced = false,
): Target {
  const { template, digest: requested } = revisionOf(app.spec, app.spec.configRollout === 'Auto' ? checksum : undefined)
  const { lastGoodRevision: good, failedRevision: failed } = status
  const hasFailed = failed?.digest === requested && failed.attempts > app.spec.onFailureRetries
  const mayPin =
    !isForced && app.spec.onFailure === 'Rollback' && hasFailed && good !== undefined && good.digest !== requested
  const kept = mayPin ? parsed(good.template) : undefined
  if (!mayPin || kept === undefined) {
    return {
      digest: requested,
      spec: app.spec,
      checksum: template.checksum,
      get template() {
        return JSON.stringify(template)
      },
      isPinned: false,
      requested,
    }
  }
  return {
    digest: good.digest,
    spec: put(app.spec, kept.spec),
    checksum: kept.checksum,
    template: JSON.stringify(kept),
    isPinned: true,
    requested,
  }
}

interface Revision {
  readonly template: Template
  readonly digest: string
}

function revisionOf(spec: DeepReadonly<WebAppSpec>, checksum: string | undefined): Revision {
  const template = { spec: pick(spec), checksum }
  return { template, digest: digestOf(template) }
}

/** Undefined if the status holds something else. Older versions of the operator stored an object instead of text. */
function parsed(kept: unknown): Template | undefined {
  try {
    const template = (typeof kept === 'string' ? JSON.parse(kept) : kept) as Partial<Template> | null
    return typeof template?.spec === 'object' && template.spec !== null ? (template as Template) : undefined
  } catch {
    return undefined
  }
}

function pick(spec: DeepReadonly<WebAppSpec>): JsonObject {
  const all = spec as unknown as JsonObject
  return Object.fromEntries(podFieldNames.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])))
}

/** The spec with the fields of a revision, and only those, in place of its own. */
function put(spec: DeepReadonly<WebAppSpec>, fields: Readonly<JsonObject>): DeepReadonly<WebAppSpec> {
  const others = Object.entries(spec).filter(([name]) => !(podFieldNames as readonly string[]).includes(name))
  return { ...Object.fromEntries(others), ...fields } as DeepReadonly<WebAppSpec>
}

function digestOf({ spec, checksum }: Template): string {
  return hash('sha256', JSON.stringify([sorted(spec), checksum ?? null]), 'hex').slice(0, 10)
}

/** With its keys in order, however deep. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] as Json)]),
  )
}
