/**
 * API approval: groups of the Kubernetes community (`*.k8s.io`, `*.kubernetes.io`) need an annotation with the
 * approval.
 */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { KubeObject } from '../../../api/object.ts'
import { goQuote } from '../../../api/go-format.ts'
import { asObject, textOf } from '../../../structural/reading.ts'
import type { DefinitionCondition } from './conditions.ts'

const annotation = 'api-approved.kubernetes.io'

type State = 'missing' | 'bypassed' | 'approved' | 'invalid'

function isProtected(crd: KubeObject): boolean {
  const group = textOf(asObject(crd['spec']), 'group')
  return /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)
}

function approval(crd: KubeObject): { state: State; value: string; reason: string } {
  const value = textOf(asObject(crd.metadata.annotations), annotation)
  const must = `protected groups must have approval annotation "${annotation}"`
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111'
  if (value === '') return { state: 'missing', value, reason: `${must}, ${see}` }
  if (value.startsWith('unapproved')) return { state: 'bypassed', value, reason: `not approved: ${goQuote(value)}` }
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#\s]+/.test(value)) {
    return { state: 'approved', value, reason: `approved in ${value}` }
  }
  return { state: 'invalid', value, reason: `${must} with either a URL or a reason starting with "unapproved", ${see}` }
}

/** Errors of the annotation. An update that does not change its state is accepted. */
export function approvalErrors(crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  if (!isProtected(crd)) return []
  const { state, value, reason } = approval(crd)
  if (old !== undefined && approval(old).state === state) return []
  const field = `metadata.annotations[${annotation}]`
  if (state === 'missing') return [fieldError.required(field, reason)]
  if (state !== 'invalid') return []
  return [{ type: 'Invalid', field, summary: `Invalid value: ${goQuote(value)}`, detail: reason }]
}

/** The KubernetesAPIApprovalPolicyConformant condition; undefined for other groups. */
export function approvalCondition(crd: KubeObject): DefinitionCondition | undefined {
  if (!isProtected(crd)) return undefined
  const { state, reason } = approval(crd)
  const reasons: Readonly<Record<State, string>> = {
    missing: 'MissingAnnotation',
    bypassed: 'UnapprovedAnnotation',
    approved: 'ApprovedAnnotation',
    invalid: 'InvalidAnnotation',
  }
  return {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: state === 'approved' ? 'True' : 'False',
    reason: reasons[state],
    message: reason,
  }
}
