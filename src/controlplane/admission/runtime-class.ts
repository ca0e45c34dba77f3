/**
 * RuntimeClass: the named class must exist. Sets the overhead of the pod and merges the node selector and tolerations
 * of the class into it.
 */
import { goQuote } from '../../api/go-format.ts'
import { equalJson, getOwn, setOwn, type JsonObject } from '../../api/json.ts'
import { checkPathSegment } from '../../api/names.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import type { AdmissionRequest } from '../registry/admission.ts'
import { entries, int, items, size, specOf, struct, text } from '../resources/shared/values.ts'
import { equalAmounts, readAmounts } from '../resources/shared/amounts.ts'
import { on, rejected, type AdmissionPlugin } from './plugin.ts'

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

function classOf(request: AdmissionRequest, spec: JsonObject): KubeObject | undefined {
  if (spec.runtimeClassName === undefined) return undefined
  const name = text(spec.runtimeClassName)
  // Upstream looks the class up with a client, which rejects such names before sending the request.
  if (name === '') throw apiError.internal('resource name may not be empty')
  const problems = checkPathSegment(name)
  if (problems.length > 0) throw apiError.internal(`invalid resource name ${goQuote(name)}: [${problems.join(' ')}]`)
  const found = request.context.lookup('node.k8s.io', 'runtimeclasses', '', name)
  if (found === undefined) throw rejected(request, `pod rejected: RuntimeClass ${goQuote(name)} not found`)
  return found
}

function admit(request: AdmissionRequest): void {
  const spec = specOf(request.object as KubeObject)
  const found = classOf(request, spec)
  if (found === undefined) return
  const overhead = struct(found.overhead)
  if (overhead !== undefined) {
    if (size(spec.overhead) > 0 && !sameAmounts(spec.overhead, overhead.podFixed)) throw rejected(request, mismatch)
    if (size(overhead.podFixed) > 0) spec.overhead = { ...struct(overhead.podFixed) }
    else delete spec.overhead
  }
  const scheduling = struct(found.scheduling)
  if (scheduling === undefined) return
  mergeSelector(request, spec, struct(scheduling.nodeSelector))
  const tolerations = mergeTolerations([...items(spec.tolerations), ...items(scheduling.tolerations)])
  if (tolerations.length > 0) spec.tolerations = [...tolerations]
}

function mergeSelector(request: AdmissionRequest, spec: JsonObject, wanted: JsonObject | undefined): void {
  if (wanted === undefined) return
  const merged: JsonObject = { ...struct(spec.nodeSelector) }
  for (const [key, value] of entries(wanted)) {
    const given = getOwn(merged, key)
    if (given !== undefined && given !== value) {
      throw rejected(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${text(value)}; ` +
          `pod.spec.nodeSelector[${key}] = ${text(given)}`,
      )
    }
    setOwn(merged, key, value)
  }
  spec.nodeSelector = merged
}

/** Longer lists are not merged: comparing all pairs takes quadratic time. */
const maxTolerations = 1000

/** Drops tolerations that another one covers; of equal ones the first stays. */
export function mergeTolerations(all: readonly JsonObject[]): readonly JsonObject[] {
  if (all.length > maxTolerations) return all
  const merged: JsonObject[] = []
  for (const [i, toleration] of all.entries()) {
    if (merged.some((other) => covers(other, toleration))) continue
    if (all.some((other, j) => j > i && covers(other, toleration) && !equalJson(other, toleration))) continue
    merged.push(toleration)
  }
  return merged
}

function covers(wide: JsonObject, narrow: JsonObject): boolean {
  const isForAllKeys = text(wide.key) === '' && wide.operator === 'Exists'
  if (text(narrow.key) !== text(wide.key) && !isForAllKeys) return false
  if (equalJson(wide, narrow)) return true
  if (text(wide.effect) !== '' && text(narrow.effect) !== wide.effect) return false
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined) return false
    if (int(narrow.tolerationSeconds) > int(wide.tolerationSeconds)) return false
  }
  if (wide.operator === 'Exists') return true
  if (text(wide.operator) !== '' && wide.operator !== 'Equal') return false
  return narrow.operator === 'Equal' && text(narrow.value) === text(wide.value)
}

function validate(request: AdmissionRequest): void {
  const spec = specOf(request.object as KubeObject)
  const overhead = struct(classOf(request, spec)?.overhead)
  if (overhead !== undefined) {
    if (!sameAmounts(overhead.podFixed, spec.overhead)) throw rejected(request, mismatch)
  } else if (spec.overhead !== undefined) {
    throw rejected(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
  }
}

function sameAmounts(a: unknown, b: unknown): boolean {
  return equalAmounts(readAmounts(a), readAmounts(b))
}

export const runtimeClassPlugin: AdmissionPlugin = {
  name: 'RuntimeClass',
  mutate: { concerns: on('', 'pods', ['CREATE']), run: admit },
  validate: { concerns: on('', 'pods', ['CREATE']), run: validate },
}
