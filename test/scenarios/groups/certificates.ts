/** Scenarios of CertificateSigningRequests: approval, signing, failures. */
import type { JsonObject } from '../../../src/api/json.ts'
import {
  aliceRequest,
  namedRequest,
  nodeRequest,
  rsaRequest,
  servingRequest,
  wrongNodeRequest,
} from '../../../src/x509/testdata/requests.ts'
import { clusterResource } from '../../differential/steps.ts'
import type { Act, Scenario, Until } from '../scenario.ts'
import { look, until, valueAt } from '../steps.ts'

const requests = clusterResource('certificatesigningrequests', 'certificates.k8s.io/v1')
const roles = clusterResource('clusterroles', 'rbac.authorization.k8s.io/v1')
const bindings = clusterResource('clusterrolebindings', 'rbac.authorization.k8s.io/v1')
const own = requests.get('{{ns}}').path

const client = 'kubernetes.io/kube-apiserver-client'
const kubelet = 'kubernetes.io/kube-apiserver-client-kubelet'
const serving = 'kubernetes.io/kubelet-serving'
const clientUsages = ['digital signature', 'client auth']
const servingUsages = ['digital signature', 'key encipherment', 'server auth']

const request = (text: string, signerName: string, usages: readonly string[], spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: '{{ns}}' },
  spec: { request: Buffer.from(text).toString('base64'), signerName, usages: [...usages], ...spec },
})
const decide = (type: 'Approved' | 'Denied'): Act =>
  requests.sub('approval').merge('{{ns}}', {
    status: { conditions: [{ type, status: 'True', reason: 'ByHand', message: 'as the scenario says' }] },
  })
const approved = decide('Approved')
const issued: Until = {
  until: own,
  says: 'issued',
  holds: (found) => valueAt(found, 'status.certificate') !== undefined,
}
const failed = until(own, { 'status.conditions[Failed].status': 'True' })

/** The user of a kubelet, in a group of the scenario. */
const asNode = (group: string) => ({
  headers: { 'impersonate-user': 'system:node:node-9', 'impersonate-group': group },
})
/** Lets the group create this, besides requests. */
const grant = (group: string, ...subresources: string[]): Act[] => [
  roles.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: '{{ns}}' },
    rules: [
      {
        apiGroups: ['certificates.k8s.io'],
        resources: ['', ...subresources.map((name) => `/${name}`)].map((name) => `certificatesigningrequests${name}`),
        verbs: ['create'],
      },
    ],
  }),
  bindings.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: '{{ns}}' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: '{{ns}}' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
  }),
]

export const certificateScenarios: readonly Scenario[] = [
  {
    name: 'certificate-issued',
    steps: [requests.create(request(aliceRequest, client, clientUsages)), look('pending'), approved, issued],
  },
  {
    name: 'certificate-short',
    steps: [
      requests.create(request(aliceRequest, client, clientUsages, { expirationSeconds: 1200 })),
      approved,
      issued,
    ],
  },
  {
    name: 'certificate-too-long',
    steps: [
      requests.create(
        request(rsaRequest, client, [...clientUsages, 'key encipherment'], { expirationSeconds: 315_360_000 }),
      ),
      approved,
      issued,
    ],
  },
  {
    name: 'certificate-names',
    steps: [requests.create(request(namedRequest, client, ['client auth'])), approved, issued],
  },
  {
    name: 'certificate-denied',
    steps: [requests.create(request(aliceRequest, client, clientUsages)), decide('Denied'), look('denied'), approved],
  },
  {
    name: 'certificate-wrong-usage',
    steps: [requests.create(request(aliceRequest, client, ['client auth', 'server auth'])), approved, failed],
  },
  {
    name: 'certificate-missing-usage',
    steps: [requests.create(request(aliceRequest, client, ['digital signature'])), approved, failed],
  },
  {
    name: 'certificate-other-signer',
    steps: [requests.create(request(aliceRequest, 'example.org/own', ['any'])), approved],
  },
  {
    name: 'certificate-kubelet-approved',
    rights: true,
    steps: [requests.create(request(nodeRequest, kubelet, clientUsages)), issued],
  },
  {
    name: 'certificate-kubelet-renews',
    rights: true,
    steps: [
      ...grant('renewing-nodes', 'selfnodeclient'),
      requests.create(request(nodeRequest, kubelet, clientUsages), '', asNode('renewing-nodes')),
      issued,
    ],
  },
  {
    name: 'certificate-kubelet-without-right',
    rights: true,
    steps: [
      ...grant('other-nodes'),
      requests.create(request(nodeRequest, kubelet, clientUsages), '', asNode('other-nodes')),
      look('pending'),
      approved,
      issued,
    ],
  },
  {
    name: 'certificate-kubelet-wrong-name',
    steps: [requests.create(request(wrongNodeRequest, kubelet, clientUsages)), look('pending'), approved, failed],
  },
  {
    name: 'certificate-kubelet-with-names',
    steps: [requests.create(request(servingRequest, kubelet, clientUsages)), look('pending'), approved, failed],
  },
  {
    name: 'certificate-kubelet-wrong-usages',
    steps: [requests.create(request(nodeRequest, kubelet, ['client auth'])), look('pending'), approved, failed],
  },
  {
    name: 'certificate-serving',
    steps: [requests.create(request(servingRequest, serving, servingUsages)), look('pending'), approved, issued],
  },
  {
    name: 'certificate-serving-without-names',
    steps: [requests.create(request(nodeRequest, serving, servingUsages)), approved, failed],
  },
].map((scenario) => ({ ...scenario, also: [own] }))
