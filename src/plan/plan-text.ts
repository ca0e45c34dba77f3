/** A plan as text. */
import { stringify } from 'yaml'
import type { ObjectMeta } from '../api/object.ts'
import { truncatedText } from '../flow/mask.ts'
import type { PlannedCall } from './call-recorder.ts'
import type { PlannedChange, ChangedField } from './change-set.ts'
import type { PlannedOutcome, Plan, PlannedWork } from './plan.ts'
import type { PlannedEvent } from './write-recorder.ts'

/** The meaning of a line, for colours. */
export type PlanTone = 'plain' | 'create' | 'update' | 'delete' | 'warning'

export interface PlanLine {
  readonly tone: PlanTone
  readonly text: string
}

const sign = { create: '+', update: '~', delete: '-' } as const

export function planLines(plan: Plan): readonly PlanLine[] {
  const { operator, pending, wish, work, collected, outcomes, warnings } = plan
  const blocks: readonly (readonly PlanLine[])[] = [
    warnings.map((text) => ({ tone: 'warning', text: `warning: ${text}` })),
    block(`Even without your change, the operator ${operator} would`, pending),
    wish.length === 0 ? [] : [plain('You would'), ...wish.flatMap((change) => linesOf(change, true))],
    block(`${wish.length === 0 ? 'The' : 'Then the'} operator ${operator} would`, work),
    collected.length === 0
      ? []
      : [plain('Garbage collection would delete'), ...collected.flatMap((change) => linesOf(change))],
    outcomes.length === 0 ? [] : [plain('In the end'), ...outcomes.map(outcomeLine)],
    failureLines(plan),
    [plain(summary(plan))],
  ]
  return blocks
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : [plain(''), ...lines]))
    .map(({ tone, text }) => ({ tone, text: text.replaceAll(control, '·') }))
}

/** Control characters, which a terminal would interpret. */
const control = /\p{Cc}/gu

export function planText(plan: Plan): string {
  return planLines(plan)
    .map(({ text }) => text)
    .join('\n')
}

/** The number of changes, without the user's own. */
export function countChanges({ pending, work, collected }: Plan): Readonly<Record<PlannedChange['action'], number>> {
  const count = { create: 0, update: 0, delete: 0 }
  for (const { action } of [...pending.changes, ...work.changes, ...collected]) count[action]++
  return count
}

function summary(plan: Plan): string {
  const { create, update, delete: gone } = countChanges(plan)
  if (plan.failures.length > 0) {
    const done =
      create + update + gone === 0 ? 'It did nothing' : `Until then: ${create} to create, ${update} to change`
    const more = create + update + gone === 0 ? '' : `, ${gone} to delete`
    return `Plan: worthless, because the operator ${plan.operator} failed. ${done}${more}.`
  }
  const calls = [...plan.pending.calls, ...plan.work.calls]
  if (create + update + gone + calls.length === 0) return `Plan: nothing for the operator ${plan.operator} to do.`
  const time = plan.takes === 0 ? '' : `, complete after ${(plan.takes / 1000).toFixed(1)} s if all goes well`
  const called = calls.length === 0 ? '' : `, ${calls.length} external ${calls.length === 1 ? 'call' : 'calls'}`
  const ends = calls.some(({ isEnd }) => isEnd) ? ' It ends at these calls: a plan makes none.' : ''
  return `Plan: ${create} to create, ${update} to change, ${gone} to delete${called}${time}.${ends}`
}

function failureLines({ operator, failures }: Plan): readonly PlanLine[] {
  if (failures.length === 0) return []
  const lines = failures.flatMap(({ controller, object, failures: times, error, at }) => [
    `  ${object}, controller ${controller}: failed ${times === 1 ? 'once' : `${times} times in a row`}: ${error}`,
    ...(at === undefined ? [] : [`      at ${at}`]),
  ])
  const title = `The operator ${operator} failed, so what it would do is not known:`
  return [title, ...lines].map((text) => ({ tone: 'warning', text }))
}

function block(title: string, { changes, events, calls }: PlannedWork): readonly PlanLine[] {
  if (changes.length + events.length + calls.length === 0) return []
  const reported =
    events.length === 0
      ? []
      : [
          plain(changes.length + calls.length === 0 ? '  record the events' : '  and record the events'),
          ...events.map(eventLine),
        ]
  return [plain(title), ...changes.flatMap((change) => linesOf(change)), ...calls.flatMap(callLines), ...reported]
}

function callLines({ system, method, args, object, isEnd }: PlannedCall): readonly PlanLine[] {
  const given = args.map((arg) => truncatedText(JSON.stringify(arg))).join(', ')
  const head = { tone: 'update', text: `  ! call ${system}.${method}(${given}), for ${object}` } as const
  return isEnd ? [head, plain('      what the operator does after this call is not known')] : [head]
}

/** `isShort`: leaves out the manifest, for its author. */
function linesOf(change: PlannedChange, isShort = false): readonly PlanLine[] {
  const { action, kind, namespace, name, manifest, fields } = change
  const tone = action
  const head = { tone, text: `  ${sign[action]} ${action} ${kind} ${place(namespace, name)}${ownerOf(manifest)}` }
  const body =
    manifest === undefined || isShort
      ? []
      : stringify(rest(manifest))
          .trimEnd()
          .split('\n')
          .map((line) => ({ tone, text: `      ${line}` }))
  return [head, ...body, ...fields.map((field) => ({ tone, text: `      ${fieldText(field)}` }))]
}

type Manifest = NonNullable<PlannedChange['manifest']>

function ownerOf(manifest: Manifest | undefined): string {
  const { ownerReferences = [] } = (manifest?.['metadata'] ?? {}) as Pick<ObjectMeta, 'ownerReferences'>
  return ownerReferences
    .filter(({ controller }) => controller === true)
    .map(({ kind, name }) => `, owned by ${kind} ${name}`)
    .join('')
}

/** Without what the headline says. */
function rest({ apiVersion: _version, kind: _kind, metadata, ...parts }: Manifest): object {
  const {
    name: _name,
    namespace: _namespace,
    ownerReferences: _owners,
    ...more
  } = (metadata ?? {}) as Record<string, unknown>
  return Object.keys(more).length === 0 ? parts : { metadata: more, ...parts }
}

function fieldText({ path, before, after }: ChangedField): string {
  const [old, now] = [JSON.stringify(before ?? null), JSON.stringify(after ?? null)]
  if (before === undefined) return `${path}: ${truncatedText(now)} (new)`
  if (after === undefined) return `${path}: ${truncatedText(old)} (gone)`
  return `${path}: ${excerpt(old, now)} → ${excerpt(now, old)}`
}

/** How many characters to show before the first difference of a long value. */
const lead = 20

/** As `truncatedText` cuts it, but around the first difference from the other value. */
function excerpt(text: string, other: string): string {
  if (truncatedText(text) === text || truncatedText(text) !== truncatedText(other)) return truncatedText(text)
  let same = 0
  while (text[same] === other[same] && same < text.length) same++
  return truncatedText(`…${text.slice(Math.max(0, same - lead))}`)
}

function eventLine({ type, reason, message, about }: PlannedEvent): PlanLine {
  return { tone: type === 'Warning' ? 'warning' : 'plain', text: `      ${type} ${reason}, of ${about}: ${message}` }
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

/** The phase and the condition Ready, if there are any. */
function outcomeLine({ kind, namespace, name, status, isGone }: PlannedOutcome): PlanLine {
  const what = `  ${kind} ${place(namespace, name)}`
  if (isGone) return plain(`${what} is gone`)
  const { phase, conditions = [] } = (status ?? {}) as {
    readonly phase?: string
    readonly conditions?: readonly Condition[]
  }
  const ready = conditions.find(({ type }) => type === 'Ready')
  const tone = ready === undefined || ready.status === 'True' ? 'plain' : 'warning'
  if (phase === undefined && ready === undefined)
    return { tone, text: `${what} has neither a phase nor a condition Ready` }
  const state = phase === undefined ? ':' : ` is ${phase}${ready === undefined ? '' : ','}`
  return { tone, text: `${what}${state}${ready === undefined ? '' : ` Ready is ${ready.status}${said(ready)}`}` }
}

function said({ reason = '', message = '' }: Condition): string {
  const words = [reason, message].filter((word) => word !== '').join(': ')
  return words === '' ? '' : ` (${words})`
}

function place(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

function plain(text: string): PlanLine {
  return { tone: 'plain', text }
}
