/**
 * The pods of an app. Pure: the same spec gives the same template, so pods roll only when something is different.
 * Fields that are undefined are not sent, and so are not ours.
 */
import type { DeepReadonly } from 'coxswain/api'
import type { Deployment } from 'coxswain'
import type { Partially } from 'coxswain/client'
import type { WebAppSpec } from '../schema/webapp.ts'
import { checksumAnnotation, childLabels, selectorLabels } from './identity.ts'

export const containerName = 'web'
export const portName = 'http'

export interface TemplateInput {
  readonly name: string
  readonly spec: DeepReadonly<WebAppSpec>
  /**
   * Of the configuration that the pods refer to; undefined if there is none, or if changes of it should not roll the
   * pods.
   */
  readonly checksum?: string | undefined
}

type Spec = DeepReadonly<WebAppSpec>
type Template = NonNullable<NonNullable<Partially<Deployment>['spec']>['template']>
type PodSpec = NonNullable<Template['spec']>
type Container = NonNullable<PodSpec['containers']>[number]

export function podTemplate({ name, spec, checksum }: TemplateInput): Template {
  const {
    podMetadata,
    security: { profile, runAsUser, fsGroup },
  } = spec
  const isRestricted = profile === 'Restricted'
  return {
    metadata: {
      labels: { ...podMetadata?.labels, ...childLabels(name) },
      annotations: unlessEmpty({
        ...podMetadata?.annotations,
        ...(checksum === undefined ? {} : { [checksumAnnotation]: checksum }),
      }),
    },
    spec: {
      containers: [container(spec)],
      terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds,
      serviceAccountName: spec.serviceAccountName,
      // The server copies the name there. If it stayed when the name is removed, the name would come back.
      serviceAccount: spec.serviceAccountName,
      automountServiceAccountToken: spec.serviceAccountName !== undefined,
      imagePullSecrets: spec.imagePullSecrets,
      topologySpreadConstraints: topologySpread(name, spec.topologySpread),
      volumes: volumes(spec.files),
      securityContext: unlessEmpty({
        runAsNonRoot: isRestricted ? true : undefined,
        seccompProfile: isRestricted ? { type: 'RuntimeDefault' } : undefined,
        // The schema refuses it, too; an older one did not.
        runAsUser: isRestricted && runAsUser === 0 ? undefined : runAsUser,
        fsGroup,
      }),
    },
  }
}

function container(spec: Spec): Container {
  const { image, imagePullPolicy, command, args, resources, probes, envFrom, preStopSeconds, security } = spec
  const isRestricted = security.profile === 'Restricted'
  return {
    name: containerName,
    image,
    imagePullPolicy,
    command,
    args,
    resources,
    envFrom,
    env: variables(spec),
    ports: [
      { name: portName, containerPort: spec.port, protocol: 'TCP' },
      ...(spec.ports ?? []).map(({ name, port, protocol }) => ({ name, containerPort: port, protocol })),
    ],
    readinessProbe: ofThePod(probes?.readiness) ?? { tcpSocket: { port: portName } },
    livenessProbe: ofThePod(probes?.liveness),
    startupProbe: ofThePod(probes?.startup),
    lifecycle: preStopSeconds === undefined ? undefined : { preStop: { sleep: { seconds: preStopSeconds } } },
    volumeMounts: spec.files?.map(({ path }, index) => ({ name: `files-${index}`, mountPath: path, readOnly: true })),
    securityContext: unlessEmpty({
      allowPrivilegeEscalation: isRestricted ? false : undefined,
      capabilities: isRestricted ? { drop: ['ALL'] } : undefined,
      readOnlyRootFilesystem: security.readOnlyRootFilesystem,
    }),
  }
}

type Probe = NonNullable<NonNullable<Spec['probes']>['readiness']>

/** Without the host of another machine, which the schema refuses, too; an older one did not. */
function ofThePod(probe: Probe | undefined): Container['readinessProbe'] {
  if (probe?.httpGet?.host === undefined && probe?.tcpSocket?.host === undefined) return probe
  const { httpGet, tcpSocket } = probe
  return {
    ...probe,
    httpGet: httpGet === undefined ? undefined : { ...httpGet, host: undefined },
    tcpSocket: tcpSocket === undefined ? undefined : { ...tcpSocket, host: undefined },
  }
}

/** In the order of their names: the order in which a map was written is no difference. */
function variables({ env = {}, envValueFrom = {} }: Spec): Container['env'] {
  const plain = Object.entries(env).map(([name, value]) => ({ name, value }))
  const fromElsewhere = Object.entries(envValueFrom).map(([name, { fieldRef, ...keys }]) =>
    // The server fills the version in where it is left out, which would then look like a difference.
    ({
      name,
      valueFrom: { ...keys, fieldRef: fieldRef === undefined ? undefined : { apiVersion: 'v1', ...fieldRef } },
    }),
  )
  const all = [...plain, ...fromElsewhere].sort((a, b) => (a.name < b.name ? -1 : 1))
  return all.length === 0 ? undefined : all
}

function volumes(files: Spec['files']): PodSpec['volumes'] {
  return files?.map(({ configMap, secret, optional }, index) => ({
    name: `files-${index}`,
    configMap: configMap === undefined ? undefined : { name: configMap, optional },
    secret: secret === undefined ? undefined : { secretName: secret, optional },
  }))
}

const spreadOver = ['topology.kubernetes.io/zone', 'kubernetes.io/hostname']

function topologySpread(name: string, spread: Spec['topologySpread']): PodSpec['topologySpreadConstraints'] {
  if (spread === 'Off') return undefined
  const whenUnsatisfiable = spread === 'Required' ? 'DoNotSchedule' : 'ScheduleAnyway'
  return spreadOver.map((topologyKey) => ({
    topologyKey,
    whenUnsatisfiable,
    maxSkew: 1,
    labelSelector: { matchLabels: selectorLabels(name) },
  }))
}

function unlessEmpty<Part extends object>(part: Part): Part | undefined {
  return Object.values(part).every((value) => value === undefined) ? undefined : part
}
