/**
 * The security items: the 34 of the check-list that the project follows, and its requirements of robustness. Each names
 * the tests that prove it. `npm run -s security` runs them and says which are met.
 */
import type { Item, Proof } from './verdict.ts'

const proof = (file: string, name?: RegExp): Proof => ({ file, name })
const own = (file: string, name?: RegExp): Proof => proof(`test/security/${file}.security.ts`, name)
const hostile = (name: RegExp): Proof => proof('test/hostile/hostile.test.ts', name)
const plane = (file: string, name?: RegExp): Proof => proof(`src/controlplane/${file}.test.ts`, name)

/** In the order of the check-list. */
export const items: readonly Item[] = [
  // The operator and its rights.
  {
    id: '1',
    title: 'manifests: no *, escalate, bind, impersonate, exec, proxy, list of Secrets (badrobot R1 to R28)',
    proofs: [
      own('operator-rights', /nothing is risky|only Secrets by name|the lint finds/),
      proof('operators/webapp/docs.test.ts', /neither to list nor to watch/),
    ],
    note: 'WebApp in cluster mode may get Secrets by name (ADR 0022), which badrobot reports as R14',
  },
  {
    id: '2',
    title: 'the generated roles are the rights that are used; without one of them the operator says which',
    proofs: [
      proof('operators/webapp/lifecycle.test.ts', /exactly those that it uses/),
      proof('src/cluster/access-recorder.test.ts'),
      own('operator-rights', /each right is needed/),
    ],
  },
  {
    id: '3',
    title: 'namespaced mode works with Roles only',
    proofs: [
      own('operator-rights', /works with Roles only/),
      proof('src/manifests/manifests.test.ts', /of namespaces where the operator looks/),
    ],
    note: 'cluster mode is the default of `coxswain manifests`, as of kubebuilder; `--namespaces` makes Roles',
  },
  {
    id: '4',
    title: 'an object cannot make the operator leave its namespaces',
    proofs: [own('operator-rights', /sends no request to another/)],
  },
  {
    id: '5',
    title: 'fields of children are an allow-list, and pods pass "restricted"',
    proofs: [
      own('operator-children', /the pods of an app/),
      proof('operators/webapp/schema/schema.test.ts', /is refused/),
      proof('operators/webapp/children/children.test.ts', /restricted by default/),
    ],
    note: 'annotations of pods are passed on; the namespace refuses those that weaken AppArmor or seccomp',
  },
  {
    id: '6',
    title: 'no Secret value or credential in any output',
    proofs: [
      own('operator-children', /values of Secrets/),
      proof('test/runtime/credential-canary.test.ts'),
      proof('src/plan/plan.test.ts', /shows no secret/),
      proof('src/telemetry/log-writer.test.ts', /hold no secrets/),
      proof('operators/webapp/config/config.test.ts', /made of digests/),
    ],
  },
  {
    id: '7',
    title: 'deletes carry uids, and foreign objects are adopted only on request',
    proofs: [
      proof('src/controller/owned-objects.test.ts', /not ours|foreign|a delete carries the uid/),
      proof('operators/webapp/failure.test.ts', /a foreign Deployment is not touched/),
      proof('operators/webapp/deletion.test.ts', /somebody else's/),
    ],
  },
  {
    id: '8',
    title:
      'the pod of an operator: non-root, read-only, no capabilities, limits, own account and namespace, NetworkPolicy',
    proofs: [
      own('operator-rights', /nothing is risky|the pod of an operator/),
      proof('src/manifests/manifests.test.ts', /strictest pod security|a NetworkPolicy/),
    ],
    note: 'the NetworkPolicy denies what comes in; egress to the API server has no portable rule',
  },

  // Untrusted input.
  {
    id: '9',
    title: 'keys of input do not reach prototypes: 100,000 objects and patches, also without __proto__ and frozen',
    proofs: [
      own('prototypes', /prototypes/),
      hostile(/hostile keys/),
      proof('src/codec/json-text.test.ts', /__proto__/),
    ],
  },
  {
    id: '10',
    title: 'patches check own properties; paths to prototypes and wild indexes are 4xx',
    proofs: [
      own('prototypes', /paths of JSON patches/),
      plane('patch/json-patch', /laws/),
      plane('patch/merge-patch', /laws/),
      plane('patch/strategic-merge-patch', /laws/),
    ],
    note: 'a negative index counts from the end, as on a real server (docs/internals/conformance.md)',
  },
  {
    id: '11',
    title: 'caps of size and shape; refused input takes less than 50 MiB',
    proofs: [
      own('bounds', /bodies beyond the limits/),
      hostile(/size and depth/),
      plane('patch/json-patch', /limits/),
      plane('registry/size'),
      proof('src/api/names.test.ts', /names of objects/),
      proof('test/hostile/many-definitions.security.ts'),
    ],
    note: 'nesting of 1,000 levels, fewer than upstream takes; keys have no limit of their own, as upstream',
  },
  {
    id: '12',
    title: 'YAML bombs take less than 50 ms or are refused, in the server and the command line',
    proofs: [
      own('bounds', /YAML bombs/),
      proof('src/codec/yaml-text.test.ts', /limits what aliases add|nested too deeply/),
    ],
    note: 'merge keys are on, as in kubectl and the real server; what they add is limited',
  },
  {
    id: '13',
    title: 'no backtracking on patterns of users: 10,000 evil pairs; our own expressions are checked',
    proofs: [
      own('bounds', /evil patterns/),
      own('regex-literals'),
      proof('test/hostile/rules.test.ts', /hostile patterns/),
      proof('src/structural/patterns.test.ts', /stays linear/),
      proof('test/cost/long-texts.test.ts'),
    ],
  },
  {
    id: '14',
    title: 'CEL has a budget; 1,000 hostile objects block others for less than 50 ms of CPU time each (p99)',
    proofs: [
      own('bounds', /1,000 hostile custom resources/),
      proof('test/hostile/rules.test.ts', /hostile CEL rules/),
      proof('src/structural/rules/cel-rules.test.ts', /takes from the budget/),
      proof('test/cost/decoders.security.ts'),
    ],
  },
  {
    id: '15',
    title: 'a poisonous object isolates itself: backoff per key, bounded queues, limited events and status writes',
    proofs: [
      proof('src/controller/known-failures.test.ts', /backoff of a key grows|nothing that an author/),
      proof('src/queue/work-queue.property.test.ts'),
      proof('src/queue/work-queue.test.ts', /ten thousand times/),
      proof('src/queue/limiters.test.ts'),
      proof('src/telemetry/event-correlator.test.ts', /spam|memory/),
      proof(
        'src/telemetry/event-recorder.test.ts',
        /limits an object that causes too many|never throws and never waits/,
      ),
      proof('src/controller/loop-detector.test.ts'),
      proof('src/controller/postponed-status.test.ts'),
    ],
    note: 'a queue holds each key once: its size is bounded by the number of objects',
  },
  {
    id: '16',
    title: 'numbers and quantities come back as they were sent, or are refused',
    proofs: [
      proof('src/codec/json-text.test.ts', /numbers/),
      proof('src/codec/yaml-text.test.ts', /numbers/),
      proof('src/api/quantity.test.ts'),
    ],
  },
  {
    id: '17',
    title: 'no shell and no text templates; control characters of objects reach neither logs nor terminals',
    proofs: [
      proof('src/telemetry/log-writer.test.ts', /control characters/),
      proof('src/plan/plan.test.ts', /leaves the terminal alone/),
      proof('scripts/check-boundaries.test.mjs', /modules/),
    ],
  },
  {
    id: '18',
    title: 'no address in an object is called',
    proofs: [own('operator-children', /addresses in an app/), proof('src/plan/plan.test.ts', /calls nobody/)],
    note: 'the embedded server calls webhooks that are registered by URL (SECURITY.md)',
  },

  // Webhooks, metrics, transport.
  {
    id: '19',
    title: 'TLS 1.2 and a verified CA; certificates rotate without a pause; exec plugins are limited',
    proofs: [
      proof('src/client/tls.test.ts', /TLS/),
      proof('src/webhooks/certificates.test.ts'),
      proof('src/webhooks/webhooks.test.ts', /a new certificate when one is due/),
      proof('src/client/exec-plugin.test.ts', /hangs is killed|output of an exec plugin is limited|leaves behind/),
    ],
    note: 'exec plugins run if the kubeconfig names one, as kubectl does: without them most clouds cannot be used',
  },
  {
    id: '20',
    title: 'webhooks: bodies, time and connections are limited, failurePolicy is explicit',
    proofs: [
      own('webhook-reviews'),
      proof('src/webhooks/webhooks.test.ts', /the webhook server/),
      proof('src/webhooks/reviews.test.ts'),
      proof('src/manifests/manifests.test.ts', /generated manifests of webhooks/),
    ],
    note: 'callers are not authenticated: a review has no effects, and answers only about what it contains',
  },
  {
    id: '21',
    title: 'metrics need a token that may read them (401, 403), and their labels do not grow with objects',
    proofs: [
      proof('src/manager/metrics-endpoint.test.ts'),
      proof('src/manager/access-reviews.test.ts'),
      own('metrics'),
    ],
  },
  {
    id: '22',
    title: 'the lease is writable by name and for the operator only',
    proofs: [proof('src/manifests/manifests.test.ts', /the lease where the operator is|leases of shards/)],
  },

  // The embedded server.
  {
    id: '23',
    title: 'loopback, TLS and a random token by default; plain HTTP beyond loopback needs a flag',
    proofs: [
      proof('src/cli/server-command.test.ts', /one line when ready|refuses/),
      plane('auth/authenticator'),
      plane('http/listener', /TLS with an authority/),
    ],
  },
  {
    id: '24',
    title: 'web pages of others are refused: Host, Origin, WebSocket; no CORS, no cookies',
    proofs: [plane('http/web-origin'), plane('http/web-socket', /needs an origin/)],
  },
  {
    id: '25',
    title: 'path tricks are 4xx, and no path reaches a file',
    proofs: [hostile(/path tricks/), plane('registry/request-info')],
  },
  {
    id: '26',
    title: 'slow and silent clients, header bombs, watchers that do not read: bounded, then closed',
    proofs: [
      proof('test/hostile/slow-client.test.ts'),
      hostile(/slow clients|large headers/),
      proof('test/hostile/web-socket.test.ts'),
      proof('test/hostile/fairness.test.ts', /memory of clients/),
    ],
  },
  {
    id: '27',
    title: 'an audit log that is only appended to; no fault injection in the package of an operator',
    proofs: [
      plane('audit/audited-handler'),
      plane('audit/policy'),
      proof('src/cli/audit-log-file.test.ts'),
      own('package', /the package of an operator/),
    ],
  },
  {
    id: '28',
    title: 'lists, watches and selectors show nothing beyond the rights of the user',
    proofs: [own('isolation'), plane('api/authorization'), plane('auth/rbac-authorizer')],
  },

  // The web UI.
  { id: '29', title: 'content security policy, and text as text', proofs: [], absent: 'no web UI' },
  { id: '30', title: 'no ambient credentials in the browser', proofs: [], absent: 'no web UI' },

  // Supply chain and process.
  {
    id: '31',
    title: 'few dependencies with known hashes, and no install scripts',
    proofs: [
      own('package', /dependencies/),
      proof('test/package/package.test.ts', /run no code when they are installed|known hash/),
      proof('scripts/ensure.test.mjs', /package-lock/),
    ],
    note:
      'binaries of tools for other platforms have no hash in the lock file; ' +
      'there is no publish pipeline yet that could be pinned or approved',
  },
  {
    id: '32',
    title: 'reproducible package with a bill of materials and an allow-list of files; signed image',
    proofs: [
      proof('scripts/publish.security.mjs'),
      proof('scripts/package/sbom.test.mjs'),
      proof('test/package/package.test.ts', /every type|weighs less/),
    ],
    absent: 'no image',
  },
  {
    id: '33',
    title: 'static analysis, secret scan, fuzz targets',
    proofs: [
      proof('src/codec/protobuf/hostile.test.ts'),
      proof('src/controlplane/fields/ownership.property.test.ts'),
      own('regex-literals'),
      own('prototypes', /prototypes/),
      own('webhook-reviews'),
      own('package', /the tree/),
    ],
    note: 'CodeQL needs a service of its host; the lint rules of npm test and regex-literals are what runs here',
  },
  {
    id: '34',
    title: 'SECURITY.md: channel, times, settings, limits',
    proofs: [own('package', /SECURITY\.md/), proof('test/docs/links.test.ts', /SECURITY\.md/)],
  },
]

/** What the project requires beyond the check-list: robustness of the server and of the runtime. */
export const requirements: readonly Item[] = [
  {
    id: 'authorization',
    title: 'what is authorized is what is executed, compared with the real server',
    proofs: [
      plane('api/authorization'),
      plane('registry/request-info'),
      proof('test/differential/tables.test.ts', /access-paths/),
      ...[1, 2, 3, 4].map((part) => proof(`test/differential/stored-${part}-of-4.test.ts`)),
    ],
  },
  {
    id: 'cost',
    title: 'time and memory of a request are proportional to its size',
    proofs: [
      proof('test/cost/decoders.security.ts'),
      proof('test/cost/findings.test.ts'),
      proof('test/cost/kinds.security.ts'),
      proof('test/cost/long-texts.test.ts'),
    ],
  },
  {
    id: 'rollback',
    title: 'a server that was rolled back is noticed, and nothing is created for missing owners',
    proofs: [
      proof('src/cache/rolled-back-server.test.ts', /rolled back|broken connection/),
      proof('test/runtime/rolled-back.test.ts'),
      plane('restarted-server'),
      own('recovery', /rollback/),
    ],
  },
  {
    id: 'silence',
    title: 'a silent server is noticed within 30 s, with few requests at rest',
    proofs: [proof('src/cache/rolled-back-server.test.ts', /silent/)],
  },
  {
    id: 'fencing',
    title: 'a replica that lost its lease does not write, whatever its clock says',
    proofs: [
      proof('src/manager/lease-election.test.ts', /a lease covers|stopped/),
      proof('src/manager/lease-election.model.test.ts'),
      proof('src/manager/fenced-transport.test.ts'),
      proof('test/runtime/two-managers.test.ts'),
      own('recovery', /stop/),
    ],
  },
  {
    id: 'retry-after',
    title: 'no server can silence the runtime with Retry-After',
    proofs: [proof('src/client/caller.test.ts', /after 30 s at the latest/)],
  },
  {
    id: 'plugins',
    title: 'exec plugins are limited in time and output, and end with their children',
    proofs: [proof('src/client/exec-plugin.test.ts')],
  },
  {
    id: 'credentials',
    title: 'credentials reach no output, echoed ones included',
    proofs: [proof('test/runtime/credential-canary.test.ts'), proof('src/client/credential-mask.test.ts')],
  },
  {
    id: 'responses',
    title: 'compressed and endless responses of a server are limited',
    proofs: [proof('src/client/response-body.test.ts'), proof('src/client/response-parser.test.ts')],
  },
  {
    id: 'metrics',
    title: 'metrics as kubebuilder ships them, and a NetworkPolicy',
    proofs: [
      proof('src/manager/metrics-endpoint.test.ts'),
      proof('src/manifests/manifests.test.ts', /a NetworkPolicy/),
    ],
  },
  {
    id: 'secrets',
    title: 'WebApp neither lists nor watches Secrets by default, and finds their changes',
    proofs: [
      proof('operators/webapp/docs.test.ts', /neither to list nor to watch/),
      proof('operators/webapp/config/config.test.ts', /finds a changed Secret/),
    ],
  },
  {
    id: 'audit',
    title: 'the audit log has the format, levels and stages of upstream',
    proofs: [plane('audit/audited-handler'), plane('audit/policy'), proof('src/cli/audit-log-file.test.ts')],
  },
  {
    id: 'supply-chain',
    title: 'bill of materials, the same package from two builds, installation without scripts, a dry run of a release',
    proofs: [proof('scripts/publish.security.mjs'), proof('scripts/package/sbom.test.mjs')],
  },
  {
    id: 'fairness',
    title: 'requests, watches and unread bytes are limited per user and in all',
    proofs: [proof('test/hostile/fairness.test.ts'), hostile(/a watcher that never reads/)],
  },
  {
    id: 'turns',
    title: 'long work is done in turns, and lists are written in pieces',
    proofs: [plane('http/turns'), plane('api/list-encoder'), proof('test/hostile/fairness.test.ts', /turns/)],
  },
]
