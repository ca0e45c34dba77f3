/** Pod specs that several kinds embed. */
import type { JsonObject } from '../../../src/api/json.ts'

export const container: JsonObject = { name: 'c', image: 'example.com/i:1' }

export const minimalPodSpec: JsonObject = { containers: [container] }

/** A pod spec whose container has these fields, for invalid variants. */
export const withContainer = (fields: JsonObject): JsonObject => ({ containers: [{ ...container, ...fields }] })

export const fullPodSpec: JsonObject = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 20,
  dnsPolicy: 'None',
  schedulerName: 'other-scheduler',
  dnsConfig: {
    nameservers: ['192.0.2.53'],
    searches: ['example.com'],
    options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
  },
  serviceAccountName: 'default',
  automountServiceAccountToken: false,
  nodeSelector: { disk: 'ssd' },
  hostAliases: [{ ip: '192.0.2.7', hostnames: ['seven.example.com'] }],
  hostname: 'host',
  subdomain: 'sub',
  setHostnameAsFQDN: false,
  shareProcessNamespace: true,
  enableServiceLinks: false,
  preemptionPolicy: 'PreemptLowerPriority',
  readinessGates: [{ conditionType: 'example.com/ready' }],
  os: { name: 'linux' },
  securityContext: {
    runAsUser: 1000,
    runAsGroup: 1000,
    runAsNonRoot: true,
    fsGroup: 2000,
    fsGroupChangePolicy: 'OnRootMismatch',
    supplementalGroups: [3000],
    supplementalGroupsPolicy: 'Merge',
    sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }],
    seccompProfile: { type: 'RuntimeDefault' },
    seLinuxOptions: { level: 's0:c1,c2' },
  },
  imagePullSecrets: [{ name: 'pull' }],
  tolerations: [
    { key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 60 },
    { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
  ],
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'full' } },
      minDomains: 2,
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
      matchLabelKeys: ['hash'],
    },
  ],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'zone', operator: 'In', values: ['a', 'b'] },
              { key: 'old', operator: 'DoesNotExist' },
              { key: 'gen', operator: 'Gt', values: ['3'] },
            ],
            matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['bad-node'] }],
          },
        ],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 10, preference: { matchExpressions: [{ key: 'fast', operator: 'Exists' }] } },
      ],
    },
    podAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 1,
          podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'x' } }, namespaces: ['other'] },
        },
      ],
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          topologyKey: 'host',
          labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['full'] }] },
          namespaceSelector: {},
          matchLabelKeys: ['rev'],
          mismatchLabelKeys: ['zone'],
        },
      ],
    },
  },
  volumes: [
    { name: 'empty', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
    {
      name: 'config',
      configMap: { name: 'cm', items: [{ key: 'a', path: 'x/a', mode: 0o644 }], defaultMode: 0o600, optional: true },
    },
    { name: 'secret', secret: { secretName: 's', optional: true } },
    { name: 'claim', persistentVolumeClaim: { claimName: 'claim', readOnly: true } },
    {
      name: 'own',
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { labels: { a: 'b' } },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
    },
    {
      name: 'info',
      downwardAPI: {
        items: [
          { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
          { path: 'cpu', resourceFieldRef: { containerName: 'main', resource: 'limits.cpu', divisor: '1m' } },
        ],
      },
    },
    {
      name: 'all',
      projected: {
        defaultMode: 0o440,
        sources: [
          { configMap: { name: 'a' } },
          { secret: { name: 'b', optional: true } },
          { serviceAccountToken: { audience: 'x', expirationSeconds: 900, path: 'token' } },
          { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
        ],
      },
    },
    { name: 'host', hostPath: { path: '/var/data', type: 'DirectoryOrCreate' } },
    { name: 'nfs', nfs: { server: 'nfs.example.com', path: '/data' } },
    { name: 'driver', csi: { driver: 'csi.example.com', volumeAttributes: { a: 'b' }, fsType: 'ext4' } },
    { name: 'image', image: { reference: 'example.com/data:1', pullPolicy: 'IfNotPresent' } },
  ],
  initContainers: [
    { name: 'init', image: 'example.com/init', command: ['sh', '-c', 'true'] },
    {
      name: 'sidecar',
      image: 'example.com/side:1',
      restartPolicy: 'Always',
      startupProbe: { tcpSocket: { port: 90 } },
    },
  ],
  containers: [
    {
      name: 'main',
      image: 'example.com/main@sha256:0000000000000000000000000000000000000000000000000000000000000000',
      imagePullPolicy: 'Always',
      command: ['main'],
      args: ['--flag', '$(POD)'],
      workingDir: '/work',
      stdin: true,
      stdinOnce: true,
      tty: true,
      ports: [
        { name: 'http', containerPort: 8080 },
        { name: 'dns', containerPort: 53, protocol: 'UDP', hostPort: 5353, hostIP: '192.0.2.1' },
      ],
      env: [
        { name: 'PLAIN', value: 'x' },
        { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
        { name: 'CM', valueFrom: { configMapKeyRef: { name: 'cm', key: 'a', optional: true } } },
        { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      ],
      envFrom: [{ prefix: 'P_', configMapRef: { name: 'cm' } }, { secretRef: { name: 's', optional: false } }],
      resources: {
        requests: { cpu: '100m', memory: '64Mi' },
        limits: { cpu: '1', memory: '128Mi', 'example.com/gpu': '1' },
      },
      resizePolicy: [
        { resourceName: 'cpu', restartPolicy: 'NotRequired' },
        { resourceName: 'memory', restartPolicy: 'RestartContainer' },
      ],
      volumeMounts: [
        { name: 'empty', mountPath: '/empty', subPath: 'a/b' },
        { name: 'config', mountPath: '/config', readOnly: true, recursiveReadOnly: 'IfPossible' },
        { name: 'host', mountPath: '/host', mountPropagation: 'HostToContainer' },
        { name: 'info', mountPath: '/info', subPathExpr: '$(POD)' },
      ],
      livenessProbe: {
        httpGet: {
          path: '/live',
          port: 'http',
          scheme: 'HTTPS',
          host: 'example.com',
          httpHeaders: [{ name: 'X-A', value: 'b' }],
        },
        initialDelaySeconds: 1,
        periodSeconds: 2,
        timeoutSeconds: 3,
        failureThreshold: 4,
        terminationGracePeriodSeconds: 5,
      },
      readinessProbe: { exec: { command: ['ready'] }, successThreshold: 2 },
      startupProbe: { grpc: { port: 9000, service: 'health' } },
      lifecycle: { postStart: { exec: { command: ['hello'] } }, preStop: { sleep: { seconds: 3 } } },
      terminationMessagePath: '/dev/message',
      terminationMessagePolicy: 'FallbackToLogsOnError',
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
        privileged: false,
        procMount: 'Default',
        runAsUser: 1001,
      },
    },
    { name: 'second', image: 'example.com/second' },
  ],
}

/** Invalid pod specs. */
export const badPodSpecs: Readonly<Record<string, JsonObject>> = {
  'no containers': { containers: [] },
  'container without name': { containers: [{ image: 'i' }] },
  'container without image': { containers: [{ name: 'c' }] },
  'container twice': { containers: [container, container] },
  'bad container name': withContainer({ name: 'Bad_Name' }),
  'unknown pull policy': withContainer({ imagePullPolicy: 'Sometimes' }),
  'port too high': withContainer({ ports: [{ containerPort: 70000 }] }),
  'port name twice': withContainer({
    ports: [
      { name: 'a', containerPort: 1 },
      { name: 'a', containerPort: 2 },
    ],
  }),
  'unknown volume': withContainer({ volumeMounts: [{ name: 'nowhere', mountPath: '/x' }] }),
  'mount path twice': withContainer({
    volumeMounts: [
      { name: 'empty', mountPath: '/x' },
      { name: 'empty', mountPath: '/x' },
    ],
  }),
  'request over limit': withContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
  'bad quantity': withContainer({ resources: { requests: { cpu: 'much' } } }),
  'probe of two kinds': withContainer({ livenessProbe: { tcpSocket: { port: 1 }, exec: { command: ['x'] } } }),
  'probe of nothing': withContainer({ readinessProbe: {} }),
  'bad env name': withContainer({
    env: [
      { name: '', value: 'x' },
      { name: 'a=b', value: 'x' },
    ],
  }),
  'env of two sources': withContainer({
    env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
  }),
  'bad field path': withContainer({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.none' } } }] }),
  'unknown restart policy': { restartPolicy: 'Maybe' },
  'unknown dns policy': { dnsPolicy: 'Maybe' },
  'dns policy none without servers': { dnsPolicy: 'None', dnsConfig: null },
  'negative grace': { terminationGracePeriodSeconds: -1 },
  'bad toleration': { tolerations: [{ key: 'a', operator: 'Near', effect: 'No' }] },
  'bad node selector': { nodeSelector: { 'a b': 'c d' } },
  'volume without source twice': {
    volumes: [
      { name: 'a', emptyDir: {}, hostPath: { path: '/' } },
      { name: 'a', secret: {} },
    ],
  },
  'bad affinity': {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
  },
  'bad spread': { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'x' }] },
  'user below zero': { securityContext: { runAsUser: -1 } },
  'host port of host network': {
    hostNetwork: true,
    containers: [{ ...container, ports: [{ containerPort: 1, hostPort: 2 }] }],
  },
}

/** `badPodSpecs` at a path, each as a merge patch for an object. */
export function badPodSpecsAt(...path: readonly string[]): Record<string, JsonObject> {
  const below = (spec: JsonObject) => path.reduceRight<JsonObject>((inner, part) => ({ [part]: inner }), spec)
  return Object.fromEntries(Object.entries(badPodSpecs).map(([name, spec]) => [name, below(spec)]))
}
