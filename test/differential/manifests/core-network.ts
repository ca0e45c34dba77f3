/** Core kinds for the network and for machines: Service, Endpoints, Node. */
import { badMetadata, fullMetadata, variants, type KindManifests } from './manifest.ts'

const core = { group: '', version: 'v1' } as const

export const coreNetwork: readonly KindManifests[] = [
  {
    ...core,
    resource: 'services',
    kind: 'Service',
    namespaced: true,
    minimal: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'min' }, spec: { ports: [{ port: 80 }] } },
    full: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: fullMetadata('full'),
      spec: {
        type: 'LoadBalancer',
        selector: { app: 'web' },
        ports: [
          { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
          { name: 'dns', port: 53, targetPort: 5353, protocol: 'UDP' },
        ],
        externalIPs: ['192.0.2.10'],
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
        loadBalancerSourceRanges: ['198.51.100.0/24'],
        loadBalancerIP: '203.0.113.9',
        loadBalancerClass: 'example.com/lb',
        externalTrafficPolicy: 'Cluster',
        internalTrafficPolicy: 'Local',
        allocateLoadBalancerNodePorts: true,
        publishNotReadyAddresses: true,
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        trafficDistribution: 'PreferClose',
      },
    },
    change: { spec: { selector: { app: 'api' }, publishNotReadyAddresses: false } },
    status: {
      status: {
        loadBalancer: { ingress: [{ ip: '203.0.113.9', ipMode: 'VIP', ports: [{ port: 80, protocol: 'TCP' }] }] },
        conditions: [
          { type: 'Ready', status: 'True', reason: 'Made', message: '', lastTransitionTime: '2026-01-02T03:04:05Z' },
        ],
      },
    },
    badStatus: variants({
      'bad ip': { status: { loadBalancer: { ingress: [{ ip: 'x' }] } } },
      'host name is an ip': { status: { loadBalancer: { ingress: [{ hostname: '203.0.113.9' }] } } },
    }),
    bad: variants({
      ...badMetadata,
      'no ports': { spec: { ports: null } },
      'port zero': { spec: { ports: [{ port: 0 }] } },
      'port too high': { spec: { ports: [{ port: 65536 }] } },
      'ports without names': { spec: { ports: [{ port: 1 }, { port: 2 }] } },
      'port twice': {
        spec: {
          ports: [
            { name: 'a', port: 1 },
            { name: 'b', port: 1 },
          ],
        },
      },
      'bad target port': { spec: { ports: [{ port: 1, targetPort: 'Not_A_Name' }] } },
      'unknown protocol': { spec: { ports: [{ port: 1, protocol: 'tcp' }] } },
      'unknown type': { spec: { type: 'Other' } },
      'other cluster ip': { spec: { clusterIP: '10.0.0.251', clusterIPs: ['10.0.0.251'] } },
      'cluster ip no ip': { spec: { clusterIP: 'x' } },
      'bad external ip': { spec: { externalIPs: ['127.0.0.1', 'x'] } },
      'bad source range': { spec: { loadBalancerSourceRanges: ['1.2.3.4'] } },
      'affinity timeout': { spec: { sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } } } },
      'unknown affinity': { spec: { sessionAffinity: 'Sticky', sessionAffinityConfig: null } },
      'other class': { spec: { loadBalancerClass: 'example.com/other' } },
      'unknown traffic policy': { spec: { externalTrafficPolicy: 'Far' } },
      'unknown distribution': { spec: { trafficDistribution: 'Far' } },
      'external name missing': { spec: { type: 'ExternalName', clusterIP: null } },
      'two families': { spec: { ipFamilyPolicy: 'RequireDualStack' } },
      'node port out of range': { spec: { ports: [{ port: 1, nodePort: 80 }] } },
      'bad selector': { spec: { selector: { 'a b': 'x' } } },
    }),
  },
  {
    ...core,
    resource: 'endpoints',
    kind: 'Endpoints',
    namespaced: true,
    minimal: { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'min' } },
    full: {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: fullMetadata('full'),
      subsets: [
        {
          addresses: [
            {
              ip: '192.0.2.1',
              hostname: 'one',
              nodeName: 'node-1',
              targetRef: { kind: 'Pod', name: 'p', namespace: 'x' },
            },
            { ip: '192.0.2.2' },
          ],
          notReadyAddresses: [{ ip: '192.0.2.3' }],
          ports: [
            { name: 'http', port: 80, protocol: 'TCP', appProtocol: 'http' },
            { name: 'dns', port: 53, protocol: 'UDP' },
          ],
        },
      ],
    },
    change: { subsets: [{ addresses: [{ ip: '192.0.2.9' }], ports: [{ port: 81 }] }] },
    bad: variants({
      ...badMetadata,
      'no ip': { subsets: [{ addresses: [{ ip: '' }], ports: [{ port: 1 }] }] },
      'bad ip': { subsets: [{ addresses: [{ ip: '1.2.3' }], ports: [{ port: 1 }] }] },
      loopback: { subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 1 }] }] },
      'link local': { subsets: [{ addresses: [{ ip: '169.254.0.1' }], ports: [{ port: 1 }] }] },
      'bad host name': { subsets: [{ addresses: [{ ip: '192.0.2.1', hostname: 'A_b' }], ports: [{ port: 1 }] }] },
      'port zero': { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 0 }] }] },
      'ports without names': { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 1 }, { port: 2 }] }] },
      'unknown protocol': { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 1, protocol: 'X' }] }] },
      'empty subset': { subsets: [{}] },
      'bad app protocol': { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 1, appProtocol: 'a b' }] }] },
    }),
  },
  {
    ...core,
    resource: 'nodes',
    kind: 'Node',
    namespaced: false,
    minimal: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'manifest-min' } },
    full: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: fullMetadata('manifest-full'),
      spec: {
        podCIDR: '198.51.100.0/25',
        podCIDRs: ['198.51.100.0/25'],
        providerID: 'example://one',
        unschedulable: true,
        taints: [
          { key: 'example.com/only', value: 'gpu', effect: 'NoSchedule' },
          { key: 'example.com/soon', effect: 'NoExecute', timeAdded: '2026-01-02T03:04:05Z' },
        ],
      },
      status: {
        capacity: { cpu: '4', memory: '8Gi', pods: '110' },
        allocatable: { cpu: '3800m', memory: '7Gi', pods: '110' },
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'KubeletReady',
            message: 'ready',
            lastHeartbeatTime: '2026-01-02T03:04:05Z',
            lastTransitionTime: '2026-01-02T03:04:05Z',
          },
        ],
        addresses: [
          { type: 'InternalIP', address: '192.0.2.1' },
          { type: 'Hostname', address: 'manifest-full' },
        ],
        nodeInfo: {
          machineID: 'm',
          systemUUID: 's',
          bootID: 'b',
          kernelVersion: '6.1',
          osImage: 'Linux',
          containerRuntimeVersion: 'containerd://2.0',
          kubeletVersion: 'v1.35.8',
          kubeProxyVersion: '',
          operatingSystem: 'linux',
          architecture: 'amd64',
        },
        images: [{ names: ['example.com/i:1'], sizeBytes: 10 }],
      },
    },
    change: { spec: { unschedulable: null, taints: [{ key: 'example.com/only', effect: 'NoSchedule' }] } },
    status: { status: { phase: 'Running', capacity: { cpu: '8' }, volumesInUse: ['a/b'] } },
    badStatus: variants({
      'address twice': {
        status: {
          addresses: [
            { type: 'InternalIP', address: '192.0.2.1' },
            { type: 'InternalIP', address: '192.0.2.1' },
          ],
        },
      },
      'negative capacity': { status: { capacity: { cpu: '-1' } } },
    }),
    bad: variants({
      ...badMetadata,
      'taint without effect': { spec: { taints: [{ key: 'a' }] } },
      'unknown effect': { spec: { taints: [{ key: 'a', effect: 'Never' }] } },
      'taint twice': {
        spec: {
          taints: [
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', effect: 'NoSchedule', value: 'x' },
          ],
        },
      },
      'bad taint key': { spec: { taints: [{ key: 'a b', effect: 'NoSchedule' }] } },
      'other cidr': { spec: { podCIDR: '198.51.100.128/25', podCIDRs: ['198.51.100.128/25'] } },
      'bad cidr': { spec: { podCIDR: 'x', podCIDRs: ['x'] } },
      'other provider': { spec: { providerID: 'example://two' } },
      'external id': { spec: { externalID: 'x' } },
      'bad config source': { spec: { configSource: { configMap: { name: 'x' } } } },
    }),
  },
]
