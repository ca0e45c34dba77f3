/** Commands for a cluster with controllers: rollouts, scaling, draining, deleting, waiting, events. */
import { aliceRequest } from '../../src/x509/testdata/requests.ts'
import { jsonpath } from './queries.ts'
import type { Script, Step } from './script.ts'
import { workloads } from './workloads.ts'

const web = 'deployment.apps/web'
const image = jsonpath('deployment/web', '.spec.template.spec.containers[0].image')
/** The number of progress lines depends on timing. */
const done: Step = {
  run: 'rollout status deployment/web --timeout=120s',
  shows: ['deployment "web" successfully rolled out\n'],
  incomparable: true,
}
const available = (replicas: number): Step => ({
  run: `wait deployment/web '--for=jsonpath={.status.availableReplicas}=${replicas}' --timeout=120s`,
  says: `${web} condition met\n`,
})

const rollouts: Script = {
  name: 'rollouts',
  stages: [
    { run: 'create deployment web --image=nginx:1 --replicas=3', says: `${web} created\n` },
    done,
    { run: 'get deployment web', says: 'NAME READY UP-TO-DATE AVAILABLE AGE\nweb 3/3 3 3 AGE\n' },
    { run: 'set image deployment/web nginx=nginx:2', says: `${web} image updated\n` },
    { run: 'annotate deployment/web kubernetes.io/change-cause=two', says: `${web} annotated\n` },
    done,
    {
      run: 'rollout history deployment/web',
      says: `${web}\nREVISION CHANGE-CAUSE\n1 <none>\n2 two\n\n`,
      patient: true,
    },
    [
      {
        run: 'rollout history deployment/web --revision=2',
        shows: [`${web} with revision #2\n`, 'Image: nginx:2\n', 'kubernetes.io/change-cause: two\n'],
      },
      {
        run: 'rollout history deployment/web --revision=7',
        code: 1,
        warns: ['error: unable to find the specified revision\n'],
      },
      {
        run: 'rollout undo deployment/web --to-revision=7',
        code: 1,
        warns: ['error: unable to find specified revision 7 in history\n'],
      },
      {
        run: 'describe deployment web',
        shows: [
          'Replicas: 3 desired | 3 updated | 3 total | 3 available | 0 unavailable\n',
          'Available True MinimumReplicasAvailable\n',
          'Progressing True NewReplicaSetAvailable\n',
          { text: 'ScalingReplicaSet', times: 4 },
        ],
        incomparable: true,
      },
    ],
    { run: 'rollout undo deployment/web', says: `${web} rolled back\n` },
    done,
    [
      { run: image, says: 'nginx:1' },
      { run: 'rollout history deployment/web', shows: ['REVISION CHANGE-CAUSE\n2 two\n3 <none>\n'] },
    ],
    { run: 'rollout pause deployment/web', says: `${web} paused\n` },
    { run: 'set image deployment/web nginx=nginx:3', says: `${web} image updated\n` },
    { run: 'wait deployment/web --for=condition=Progressing=Unknown --timeout=60s', says: `${web} condition met\n` },
    { run: jsonpath('pods -l app=web', '.items[*].spec.containers[0].image'), says: 'nginx:1 nginx:1 nginx:1' },
    { run: 'rollout resume deployment/web', says: `${web} resumed\n` },
    done,
    { run: 'rollout restart deployment/web', says: `${web} restarted\n` },
    done,
    { run: 'rollout history deployment/web', shows: [/REVISION CHANGE-CAUSE\n2 two\n3 <none>\n4 \S+\n5 \S+\n/] },
    { run: 'delete deployment web', shows: ['deployment.apps "web" deleted'] },
  ],
}

const scaling: Script = {
  name: 'scaling',
  stages: [
    { run: 'create deployment web --image=nginx:1', says: `${web} created\n` },
    available(1),
    { run: 'scale deployment/web --replicas=4', says: `${web} scaled\n` },
    available(4),
    [
      {
        run: 'scale deployment/web --current-replicas=2 --replicas=1',
        code: 1,
        warns: ['error: Expected replicas to be 2, was 4\n'],
      },
      {
        run: 'wait pods -l app=web --for=condition=Ready --timeout=60s',
        shows: [{ text: ' condition met\n', times: 4 }],
        incomparable: true,
      },
      { run: 'expose deployment web --port=80', says: 'service/web exposed\n' },
      {
        run: 'autoscale deployment web --min=2 --max=5 --cpu-percent=80',
        says: 'horizontalpodautoscaler.autoscaling/web autoscaled\n',
      },
    ],
    [
      {
        run:
          'wait endpointslice -l kubernetes.io/service-name=web ' +
          "'--for=jsonpath={.endpoints[3].conditions.ready}=true' --timeout=60s",
        shows: [' condition met\n'],
        incomparable: true,
      },
      {
        run:
          "wait hpa/web '--for=jsonpath={.status.conditions[?" +
          '(@.type=="ScalingActive")].reason}=FailedGetResourceMetric\' --timeout=90s',
        says: 'horizontalpodautoscaler.autoscaling/web condition met\n',
      },
    ],
    [
      {
        run: 'get hpa web',
        says: 'NAME REFERENCE TARGETS MINPODS MAXPODS REPLICAS AGE\nweb Deployment/web cpu: <unknown>/80% 2 5 4 AGE\n',
      },
      { run: jsonpath('hpa/web', '.status.conditions[*].reason'), says: 'SucceededGetScale FailedGetResourceMetric' },
    ],
    { run: 'scale deployment/web --replicas=0', says: `${web} scaled\n` },
    { run: 'wait pods -l app=web --for=delete --timeout=60s', incomparable: true },
    { run: 'get pods -l app=web', warns: ['No resources found in scaling namespace.\n'] },
    {
      run: 'delete deployment,service,hpa web',
      shows: [
        'deployment.apps "web" deleted',
        'service "web" deleted',
        'horizontalpodautoscaler.autoscaling "web" deleted',
      ],
    },
  ],
}

const cascades: Script = {
  name: 'cascades',
  stages: [
    { run: 'create deployment web --image=nginx:1 --replicas=2', says: `${web} created\n` },
    available(2),
    { run: 'delete deployment web --cascade=orphan', shows: ['deployment.apps "web" deleted'] },
    [
      {
        run: jsonpath('rs -l app=web', '.items[*].metadata.ownerReferences}{.items[*].status.availableReplicas'),
        says: '2',
        patient: true,
      },
      { run: 'get deployments', warns: ['No resources found in cascades namespace.\n'] },
    ],
    { run: 'create deployment web --image=nginx:1 --replicas=2', says: `${web} created\n` },
    available(2),
    { run: jsonpath('rs -l app=web', '.items[*].metadata.ownerReferences[0].name'), says: 'web' },
    { run: 'delete deployment web --cascade=foreground --timeout=60s', shows: ['deployment.apps "web" deleted'] },
    { run: 'get rs,pods -l app=web', warns: ['No resources found in cascades namespace.\n'] },
    { run: 'create deployment web --image=nginx:1 --replicas=2', says: `${web} created\n` },
    available(2),
    { run: 'delete deployment web --cascade=background', shows: ['deployment.apps "web" deleted'] },
    { run: 'wait pods -l app=web --for=delete --timeout=60s', incomparable: true },
    { run: 'wait rs -l app=web --for=delete --timeout=60s', incomparable: true },
    { run: 'get rs,pods -l app=web', warns: ['No resources found in cascades namespace.\n'] },
  ],
}

const draining: Script = {
  name: 'draining',
  stages: [
    { run: 'create deployment web --image=nginx:1 --replicas=4', says: `${web} created\n` },
    {
      run: 'create poddisruptionbudget web --selector=app=web --min-available=3',
      says: 'poddisruptionbudget.policy/web created\n',
    },
    available(4),
    {
      run: 'wait pdb/web --for=condition=DisruptionAllowed --timeout=60s',
      says: 'poddisruptionbudget.policy/web condition met\n',
    },
    { run: 'get pdb web', says: 'NAME MIN AVAILABLE MAX UNAVAILABLE ALLOWED DISRUPTIONS AGE\nweb 3 N/A 1 AGE\n' },
    { run: jsonpath('pods -l app=web', '.items[0].spec.nodeName'), shows: [/./], keep: 'node', incomparable: true },
    { run: 'run bare --image=nginx:1', says: 'pod/bare created\n' },
    { run: 'wait pod/bare --for=condition=Ready --timeout=60s', says: 'pod/bare condition met\n' },
    { run: (kept) => `cordon ${kept('node')}`, shows: [' cordoned\n'], incomparable: true },
    {
      run: (kept) => `drain ${kept('node')} --force --ignore-daemonsets --timeout=120s`,
      shows: [' already cordoned\n', ' evicted\n', ' drained\n'],
      incomparable: true,
    },
    {
      run: (kept) => `get pods -l app=web --field-selector=spec.nodeName=${kept('node')}`,
      warns: ['No resources found in draining namespace.\n'],
      incomparable: true,
    },
    available(4),
    { run: (kept) => `uncordon ${kept('node')}`, shows: [' uncordoned\n'], incomparable: true },
    {
      run: 'delete deployment,pdb web',
      shows: ['deployment.apps "web" deleted', 'poddisruptionbudget.policy "web" deleted'],
    },
  ],
}

const csr = 'certificatesigningrequest.certificates.k8s.io'
const request = (name: string): Step => ({
  run: 'apply -f -',
  input: JSON.stringify({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: Buffer.from(aliceRequest).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['client auth'],
    },
  }),
  says: `${csr}/${name} created\n`,
})

const certificates: Script = {
  name: 'certificates',
  stages: [
    request('yes'),
    request('no'),
    { run: 'certificate approve yes', says: `${csr}/yes approved\n` },
    { run: 'certificate deny no', says: `${csr}/no denied\n` },
    { run: "wait csr/yes '--for=jsonpath={.status.certificate}' --timeout=60s", says: `${csr}/yes condition met\n` },
    {
      run: 'get csr yes no',
      says:
        'NAME AGE SIGNERNAME REQUESTOR REQUESTEDDURATION CONDITION\n' +
        'yes AGE kubernetes.io/kube-apiserver-client admin <none> Approved,Issued\n' +
        'no AGE kubernetes.io/kube-apiserver-client admin <none> Denied\n',
    },
    { run: 'describe csr yes', shows: ['Status: Approved,Issued\n', 'Common Name: alice\n'], incomparable: true },
    { run: 'delete csr yes no', shows: [`${csr} "yes" deleted`] },
  ],
}

/** The scripts that are compared with a real cluster. */
export const living: readonly Script[] = [rollouts, workloads, scaling, cascades, draining, certificates]

const logs: Script = {
  name: 'logs',
  stages: [
    [
      {
        run: 'run talk --image=talk:1 --annotations=coxswain.dev/log=tick --annotations=coxswain.dev/log-every=100ms',
        says: 'pod/talk created\n',
      },
      { run: 'run crash --image=crash:1 --annotations=coxswain.dev/fault=crash-loop', says: 'pod/crash created\n' },
      { run: 'run pull --image=pull:1 --annotations=coxswain.dev/fault=image-pull', says: 'pod/pull created\n' },
      { run: 'create deployment web --image=nginx:1 --replicas=2', says: `${web} created\n` },
    ],
    [
      { run: 'wait pod/talk --for=condition=Ready --timeout=60s', says: 'pod/talk condition met\n' },
      {
        run:
          "wait pod/crash '--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}=CrashLoopBackOff' " +
          '--timeout=60s',
        says: 'pod/crash condition met\n',
      },
      {
        run:
          "wait pod/pull '--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}=ImagePullBackOff' " +
          '--timeout=60s',
        says: 'pod/pull condition met\n',
      },
      available(2),
    ],
    [
      { run: 'logs talk --limit-bytes=23', says: 'starting talk:1\nready\nt' },
      { run: 'logs talk --tail=1', says: 'tick\n' },
      { run: 'logs talk --timestamps --tail=2', says: 'TIME tick\nTIME tick\n' },
      { run: 'logs -f talk --limit-bytes=60', shows: [{ text: 'tick\n', times: 7 }] },
      { run: 'logs crash', says: 'starting crash:1\nready\nfailed, exit code 1\n' },
      { run: 'logs crash --previous', says: 'starting crash:1\nready\nfailed, exit code 1\n' },
      {
        run: 'logs talk --previous',
        code: 1,
        warns: ['Error from server (BadRequest): previous terminated container "talk" in pod "talk" not found\n'],
      },
      {
        run: 'logs pull',
        code: 1,
        warns: [
          'Error from server (BadRequest): container "pull" in pod "pull" is waiting to start: trying and ' +
            'failing to pull image\n',
        ],
      },
      { run: 'logs talk -c other', code: 1, warns: ['container other is not valid for pod talk\n'] },
      { run: 'logs none', code: 1, warns: ['pods "none" not found'] },
      { run: 'logs -l app=web --prefix', shows: [{ text: '/nginx] starting nginx:1\n', times: 2 }] },
      { run: 'logs deployment/web --all-containers', shows: ['starting nginx:1\n'] },
      {
        run: 'exec talk -- ls',
        code: 1,
        warns: [
          'Error from server (NotImplemented): no program runs in a simulated container: see what it prints ' +
            'with "kubectl logs"',
        ],
      },
      { run: 'attach talk', code: 1, warns: ['no program runs in a simulated container'] },
      {
        run: 'port-forward talk 8080:80',
        code: 1,
        warns: ['error: error upgrading connection: nothing listens in a simulated container'],
      },
      {
        run: 'get --raw /api/v1/namespaces/logs/pods/talk/proxy/',
        code: 1,
        warns: ['Error from server (NotImplemented): nothing listens in a simulated container'],
      },
      { run: 'events --for pod/crash', shows: ['Normal Scheduled Pod/crash', 'Warning BackOff Pod/crash'] },
      {
        run: 'get events --field-selector=involvedObject.name=talk',
        shows: ['Scheduled pod/talk Successfully assigned logs/talk to node-', 'Started pod/talk'],
      },
      {
        run: 'describe pod crash',
        shows: ['Status: Running\n', 'Reason: CrashLoopBackOff\n', 'Exit Code: 1\n', 'Normal Scheduled'],
      },
    ],
    { run: 'delete pods --all --now', shows: [{ text: 'pod "', times: 5 }] },
  ],
}

const metrics: Script = {
  name: 'metrics',
  stages: [
    {
      run: 'apply -f -',
      says: `${web} created\n`,
      input: JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' }, annotations: { 'coxswain.dev/cpu': '180m' } },
            spec: { containers: [{ name: 'web', image: 'web', resources: { requests: { cpu: '200m' } } }] },
          },
        },
      }),
    },
    available(1),
    // Thousandths of a CPU look like an age: `180m`.
    [
      { run: 'top pods -l app=web', shows: [/^NAME CPU\(cores\) MEMORY\(bytes\)\nweb-\S+ AGE 8Mi\n$/] },
      { run: 'top pods --containers', shows: [/^POD NAME CPU\(cores\) MEMORY\(bytes\)\nweb-\S+ web AGE 8Mi\n$/] },
      {
        run: 'top nodes --sort-by=cpu --no-headers',
        shows: [/^node-\d AGE 3% 520Mi 1%\nnode-\d AGE 1% 512Mi 1%\nnode-\d AGE 1% 512Mi 1%\n$/],
      },
    ],
    {
      run: 'autoscale deployment web --min=1 --max=3 --cpu-percent=50',
      says: 'horizontalpodautoscaler.autoscaling/web autoscaled\n',
    },
    available(2),
    {
      run:
        "wait hpa/web '--for=jsonpath={.status.currentMetrics[0].resource.current.averageUtilization}=90' " +
        '--timeout=60s',
      says: 'horizontalpodautoscaler.autoscaling/web condition met\n',
    },
    {
      run: 'describe hpa web',
      shows: [
        'resource cpu on pods (as a percentage of request): 90% (180m) / 50%\n',
        'ScalingActive True ValidMetricFound',
        'SuccessfulRescale',
        'New size: 2; reason: cpu resource utilization (percentage of request) above target',
      ],
    },
    { run: 'delete deployment,hpa web', shows: ['deployment.apps "web" deleted'] },
  ],
}

/** Scripts for simulated nodes only, which have no real counterpart. */
export const simulated: readonly Script[] = [logs, metrics]
