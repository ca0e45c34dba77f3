/** The pod that a Job creates, from its template. */
import { controllerReference } from '../../controller/index.ts'
import { Job, type coreV1, type Pod } from '../../index.ts'
import { failureRule } from './failure-policy.ts'
import {
  failureCountAnnotation,
  ignoredCountAnnotation,
  indexAnnotation,
  indexFailures,
  trackingFinalizer,
  type LiveJob,
  type LivePod,
} from './job-pods.ts'

const indexVariable: coreV1.EnvVar = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } },
}

/** The longest generated name without its random end. */
const maxPrefixLength = 58

/** `index`: of an Indexed Job. `replaced`: the failed pod of that index, whose failures the new pod inherits. */
export function newPod(job: LiveJob, index: number | undefined, replaced: LivePod | undefined): Pod {
  const { name, namespace } = job.metadata
  // Sent as it is and never modified.
  const { metadata: template = {}, spec } = (job.spec?.template ?? {}) as coreV1.PodTemplateSpec
  const { finalizers = [] } = template
  const pod: Pod = {
    metadata: {
      generateName: index === undefined ? `${name}-` : indexedPrefix(name, index),
      labels: template.labels ?? {},
      finalizers: finalizers.includes(trackingFinalizer) ? finalizers : [...finalizers, trackingFinalizer],
      ownerReferences: [controllerReference(Job, job)],
    },
  }
  if (namespace !== undefined) pod.metadata.namespace = namespace
  if (template.annotations !== undefined) pod.metadata.annotations = template.annotations
  if (spec !== undefined) pod.spec = index === undefined ? spec : indexedSpec(spec, `${name}-${index}`)
  if (index !== undefined) {
    pod.metadata.labels = { ...template.labels, [indexAnnotation]: `${index}` }
    pod.metadata.annotations = { ...template.annotations, ...indexAnnotations(job, index, replaced) }
  }
  return pod
}

function indexedPrefix(name: string, index: number): string {
  const end = `-${index}-`
  return `${name.slice(0, maxPrefixLength - end.length)}${end}`
}

function indexedSpec(spec: coreV1.PodSpec, hostname: string): coreV1.PodSpec {
  const indexed: coreV1.PodSpec = { ...spec, hostname, containers: spec.containers.map(withIndexVariable) }
  if (spec.initContainers !== undefined) indexed.initContainers = spec.initContainers.map(withIndexVariable)
  return indexed
}

function withIndexVariable(container: coreV1.Container): coreV1.Container {
  const { env = [] } = container
  return env.some(({ name }) => name === indexVariable.name)
    ? container
    : { ...container, env: [...env, indexVariable] }
}

/** With a backoff limit per index, a pod carries the number of failures before it. */
function indexAnnotations(job: LiveJob, index: number, replaced: LivePod | undefined): Record<string, string> {
  const annotations: Record<string, string> = { [indexAnnotation]: `${index}` }
  if (job.spec?.backoffLimitPerIndex === undefined) return annotations
  let { counted, ignored } = replaced === undefined ? { counted: 0, ignored: 0 } : indexFailures(replaced)
  if (replaced !== undefined) {
    if (failureRule(job.spec.podFailurePolicy, replaced)?.action === 'Ignore') ignored++
    else counted++
  }
  annotations[failureCountAnnotation] = `${counted}`
  if (ignored > 0) annotations[ignoredCountAnnotation] = `${ignored}`
  return annotations
}
