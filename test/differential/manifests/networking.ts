/** networking.k8s.io/v1. */
import { badMetadata, fullMetadata, variants, type KindManifests } from './manifest.ts'

const networking = { group: 'networking.k8s.io', version: 'v1' } as const
const backend = { service: { name: 'web', port: { number: 80 } } }

export const networkingManifests: readonly KindManifests[] = [
  {
    ...networking,
    resource: 'ingresses',
    kind: 'Ingress',
    namespaced: true,
    minimal: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'min' },
      spec: { defaultBackend: backend },
    },
    full: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: fullMetadata('full'),
      spec: {
        ingressClassName: 'nginx',
        defaultBackend: { resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'static' } },
        tls: [{ hosts: ['a.example.com', '*.example.com'], secretName: 'tls' }],
        rules: [
          {
            host: 'a.example.com',
            http: {
              paths: [
                { path: '/', pathType: 'Prefix', backend },
                { path: '/x', pathType: 'Exact', backend: { service: { name: 'x', port: { name: 'http' } } } },
                { pathType: 'ImplementationSpecific', backend },
              ],
            },
          },
          { host: '*.example.com' },
        ],
      },
    },
    change: { spec: { tls: null, ingressClassName: 'other' } },
    status: {
      status: {
        loadBalancer: {
          ingress: [{ ip: '203.0.113.1', ports: [{ port: 443, protocol: 'TCP' }] }, { hostname: 'lb.example.com' }],
        },
      },
    },
    badStatus: variants({
      'bad ip': { status: { loadBalancer: { ingress: [{ ip: 'x' }] } } },
      'bad host': { status: { loadBalancer: { ingress: [{ hostname: 'A_b' }] } } },
    }),
    bad: variants({
      ...badMetadata,
      'nothing at all': { spec: { defaultBackend: null, rules: null } },
      'bad host': { spec: { rules: [{ host: 'A_b' }] } },
      'host is an ip': { spec: { rules: [{ host: '192.0.2.1' }] } },
      'bad wildcard': { spec: { rules: [{ host: 'a.*.com' }] } },
      'no path type': { spec: { rules: [{ http: { paths: [{ path: '/', backend }] } }] } },
      'unknown path type': { spec: { rules: [{ http: { paths: [{ path: '/', pathType: 'Odd', backend }] } }] } },
      'relative path': { spec: { rules: [{ http: { paths: [{ path: 'x', pathType: 'Prefix', backend }] } }] } },
      'dots in path': { spec: { rules: [{ http: { paths: [{ path: '/a/../b', pathType: 'Exact', backend }] } }] } },
      'no paths': { spec: { rules: [{ http: { paths: [] } }] } },
      'service and resource': { spec: { defaultBackend: backend } },
      'no port': {
        spec: {
          rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'x' } } }] } }],
        },
      },
      'port of two kinds': {
        spec: {
          rules: [
            {
              http: {
                paths: [
                  {
                    path: '/',
                    pathType: 'Prefix',
                    backend: { service: { name: 'x', port: { name: 'a', number: 1 } } },
                  },
                ],
              },
            },
          ],
        },
      },
      'bad class': { spec: { ingressClassName: 'A b' } },
      'class twice': { metadata: { annotations: { 'kubernetes.io/ingress.class': 'nginx' } } },
      'bad tls host': { spec: { tls: [{ hosts: ['A_b'] }] } },
    }),
  },
  {
    ...networking,
    resource: 'ingressclasses',
    kind: 'IngressClass',
    namespaced: false,
    minimal: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'manifest-min' },
      spec: { controller: 'example.com/c' },
    },
    full: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: fullMetadata('manifest-full'),
      spec: {
        controller: 'example.com/c',
        parameters: { apiGroup: 'example.com', kind: 'Params', name: 'p', scope: 'Namespace', namespace: 'default' },
      },
    },
    change: { spec: { parameters: { name: 'q' } } },
    bad: variants({
      ...badMetadata,
      'other controller': { spec: { controller: 'example.com/d' } },
      'no controller': { spec: { controller: '' } },
      'controller no path': { spec: { controller: 'plain' } },
      'no kind': { spec: { parameters: { kind: '' } } },
      'no name': { spec: { parameters: { name: '' } } },
      'namespace missing': { spec: { parameters: { namespace: null } } },
      'cluster with namespace': { spec: { parameters: { scope: 'Cluster' } } },
      'unknown scope': { spec: { parameters: { scope: 'Odd' } } },
    }),
  },
  {
    ...networking,
    resource: 'networkpolicies',
    kind: 'NetworkPolicy',
    namespaced: true,
    minimal: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'min' } },
    full: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: fullMetadata('full'),
      spec: {
        podSelector: { matchLabels: { app: 'web' } },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [
          {
            from: [
              { ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.128/25'] } },
              { namespaceSelector: { matchLabels: { a: 'b' } }, podSelector: {} },
            ],
            ports: [
              { port: 80, endPort: 90 },
              { port: 'http', protocol: 'UDP' },
            ],
          },
        ],
        egress: [{ to: [{ podSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] } }] }, {}],
      },
    },
    change: { spec: { policyTypes: ['Ingress'], egress: null } },
    bad: variants({
      ...badMetadata,
      'bad selector': { spec: { podSelector: { matchLabels: { 'a b': 'c' } } } },
      'bad cidr': { spec: { ingress: [{ from: [{ ipBlock: { cidr: 'x' } }] }] } },
      'except outside': {
        spec: { ingress: [{ from: [{ ipBlock: { cidr: '192.0.2.0/24', except: ['198.51.100.0/24'] } }] }] },
      },
      'except as large': {
        spec: { ingress: [{ from: [{ ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.0/24'] } }] }] },
      },
      'peer of two kinds': { spec: { ingress: [{ from: [{ ipBlock: { cidr: '192.0.2.0/24' }, podSelector: {} }] }] } },
      'peer of nothing': { spec: { egress: [{ to: [{}] }] } },
      'bad port': { spec: { ingress: [{ ports: [{ port: 0 }, { port: 'Bad_' }] }] } },
      'end without port': { spec: { ingress: [{ ports: [{ endPort: 5 }] }] } },
      'end before port': { spec: { ingress: [{ ports: [{ port: 9, endPort: 5 }] }] } },
      'unknown protocol': { spec: { ingress: [{ ports: [{ port: 9, protocol: 'X' }] }] } },
      'unknown type': { spec: { policyTypes: ['Sideways'] } },
      'too many types': { spec: { policyTypes: ['Ingress', 'Egress', 'Ingress'] } },
    }),
  },
  {
    ...networking,
    resource: 'ipaddresses',
    kind: 'IPAddress',
    namespaced: false,
    minimal: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IPAddress',
      metadata: { name: '192.0.2.1' },
      spec: { parentRef: { resource: 'services', name: 'x' } },
    },
    full: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IPAddress',
      metadata: fullMetadata('2001:db8::1'),
      spec: { parentRef: { group: 'example.com', resource: 'things', namespace: 'default', name: 'x' } },
    },
    change: { metadata: { labels: { more: 'yes' } } },
    bad: variants({
      ...badMetadata,
      'name no ip': { metadata: { name: 'not-an-ip' } },
      'name not canonical': { metadata: { name: '2001:DB8::0:1' } },
      'name with zeros': { metadata: { name: '192.0.02.1' } },
      'no parent': { spec: { parentRef: null } },
      'no resource': { spec: { parentRef: { resource: '' } } },
      'no name': { spec: { parentRef: { name: '' } } },
      'bad parent': { spec: { parentRef: { group: 'A b', resource: 'c/d', namespace: 'E_', name: 'f/g' } } },
      'other parent': { spec: { parentRef: { name: 'y' } } },
    }),
  },
  {
    ...networking,
    resource: 'servicecidrs',
    kind: 'ServiceCIDR',
    namespaced: false,
    tended: true,
    minimal: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: { name: 'manifest-min' },
      spec: { cidrs: ['192.0.2.0/24'] },
    },
    full: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: fullMetadata('manifest-full'),
      spec: { cidrs: ['192.0.2.0/24', '2001:db8::/64'] },
    },
    change: { metadata: { labels: { more: 'yes' } } },
    status: {
      status: {
        conditions: [
          { type: 'Ready', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2026-01-02T03:04:05Z' },
        ],
      },
    },
    badStatus: variants({
      'bad condition': { status: { conditions: [{ type: '', status: 'Odd', reason: 'a b', message: '' }] } },
    }),
    bad: variants({
      ...badMetadata,
      'no cidrs': { spec: { cidrs: [] } },
      'no spec': { spec: null },
      'bad cidr': { spec: { cidrs: ['x'] } },
      'host bits': { spec: { cidrs: ['192.0.2.1/24'] } },
      'same family': { spec: { cidrs: ['192.0.2.0/24', '198.51.100.0/24'] } },
      three: { spec: { cidrs: ['192.0.2.0/24', '2001:db8::/64', '198.51.100.0/24'] } },
      'other cidr': { spec: { cidrs: ['192.0.2.0/25', '2001:db8::/64'] } },
      'not canonical': { spec: { cidrs: ['2001:DB8::/64'] } },
    }),
  },
]
