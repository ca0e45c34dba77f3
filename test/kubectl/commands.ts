/** Commands besides the verbs on objects: queries, generators, workloads, nodes, pruning, kustomize, access. */
import { fileURLToPath } from 'node:url'
import type { Script, Step } from './script.ts'

const allVerbs = 'create,delete,deletecollection,get,list,patch,update,watch'

const questions: Script = {
  name: 'questions',
  stages: [
    [
      { run: 'version', shows: [/^Server Version: v1\.35\./m] },
      { run: 'api-versions', shows: [/^apps\/v1$/m, /^v1$/m] },
      {
        run: 'api-resources',
        shows: [/^configmaps cm v1 true ConfigMap$/m, /^deployments deploy apps\/v1 true Deployment$/m],
      },
      {
        run: 'api-resources --api-group=apps -o wide',
        shows: [new RegExp(`^deployments deploy apps/v1 true Deployment ${allVerbs} all$`, 'm')],
      },
      {
        run: 'api-resources --namespaced=false --verbs=list,delete -o name',
        shows: ['namespaces\n', 'clusterroles.rbac.authorization.k8s.io\n'],
      },
      {
        run: 'explain pods --recursive',
        prose: true,
        shows: [/^ {4}containers <\[\]Container> -required-$/m, /^ {6}imagePullPolicy <string>$/m],
      },
      {
        run: 'explain deployments.spec.strategy',
        shows: ['rollingUpdate <RollingUpdateDeployment>', 'enum: Recreate, RollingUpdate'],
        prose: true,
      },
      { run: 'explain configmap.data', shows: ['FIELD: data <map[string]string>'], prose: true },
      { run: 'explain pods.nothing', code: 1, warns: ['error: field "nothing" does not exist'] },
      { run: 'get --raw /readyz', says: 'ok' },
      { run: 'cluster-info', shows: ['is running at SERVER'], thorough: true },
      { run: 'get nothings', code: 1, warns: ['the server doesn\'t have a resource type "nothings"'] },
    ],
  ],
}

const created = (run: string, object: string, more: Partial<Step> = {}): Step => ({
  run: `create ${run}`,
  says: `${object} created\n`,
  ...more,
})

/** Each kind that `kubectl create` can generate from arguments. */
const makers: Script = {
  name: 'makers',
  stages: [
    [
      created('namespace made', 'namespace/made'),
      created('configmap made --from-literal=a=1 --from-literal=b=2', 'configmap/made'),
      created('secret generic made --from-literal=password=hunter2', 'secret/made'),
      created(
        'secret docker-registry registry --docker-server=r.example.com --docker-username=u --docker-password=p',
        'secret/registry',
        { thorough: true },
      ),
      created('serviceaccount made', 'serviceaccount/made'),
      created('service clusterip made --tcp=80:8080', 'service/made'),
      created('service nodeport ported --tcp=80', 'service/ported', { thorough: true }),
      created('service externalname outside --external-name=example.com', 'service/outside', { thorough: true }),
      created('deployment made --image=nginx:1 --replicas=2', 'deployment.apps/made'),
      created('job made --image=busybox -- echo hello', 'job.batch/made'),
      created("cronjob made --image=busybox '--schedule=0 0 * * *'", 'cronjob.batch/made'),
      created('ingress made --rule=a.example.com/path=made:80 --class=nginx', 'ingress.networking.k8s.io/made'),
      created(
        'role made --verb=get,list --resource=pods --resource=deployments.apps/scale',
        'role.rbac.authorization.k8s.io/made',
      ),
      created(
        'rolebinding made --role=made --user=ada --serviceaccount=makers:made',
        'rolebinding.rbac.authorization.k8s.io/made',
      ),
      created(
        'clusterrole kubectl-made --verb=get --non-resource-url=/healthz',
        'clusterrole.rbac.authorization.k8s.io/kubectl-made',
      ),
      created(
        'clusterrolebinding kubectl-made --clusterrole=kubectl-made --group=dev',
        'clusterrolebinding.rbac.authorization.k8s.io/kubectl-made',
        { thorough: true },
      ),
      created('quota made --hard=cpu=1,pods=9', 'resourcequota/made'),
      created('poddisruptionbudget made --selector=app=made --min-available=50%', 'poddisruptionbudget.policy/made'),
      created('priorityclass kubectl-made --value=10', 'priorityclass.scheduling.k8s.io/kubectl-made'),
    ],
    [
      {
        run: 'get cm,secrets,sa,svc,deploy,jobs,cj,ing,roles,rolebindings,quota,pdb',
        shows: [
          'configmap/made 2 AGE',
          'deployment.apps/made 0/2 0 0 AGE',
          'cronjob.batch/made 0 0 * * * <none> False 0 <none> AGE',
        ],
      },
      {
        run: 'describe quota/made pdb/made ing/made rolebinding/made',
        shows: ['Min available: 50%', '/path made:80', 'ServiceAccount made makers'],
      },
      { run: 'create configmap Bad_Name', code: 1, warns: ['a lowercase RFC 1123 subdomain must consist of'] },
      {
        run: 'create -f -',
        code: 1,
        input: 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, imag: i}]}\n',
        warns: ['unknown field "spec.containers[0].imag"'],
      },
      { run: 'create deployment made --image=i', code: 1, warns: ['deployments.apps "made" already exists'] },
      { run: 'delete namespace default', code: 1, warns: ['this namespace may not be deleted'] },
      {
        run: `patch deploy made -p '{"spec":{"selector":{"matchLabels":{"app":"x"}}}}'`,
        code: 1,
        warns: ['spec.selector: Invalid value', 'field is immutable'],
      },
    ],
  ],
}

const jsonpath = (object: string, path: string): string => `get ${object} -o 'jsonpath={${path}}'`
const container = '.spec.template.spec.containers[0]'

const workloads: Script = {
  name: 'workloads',
  stages: [
    created('deployment web --image=nginx:1 --port=80', 'deployment.apps/web'),
    created("cronjob tick --image=busybox '--schedule=@hourly' -- date", 'cronjob.batch/tick'),
    { run: 'set image deployment/web nginx=nginx:2', says: 'deployment.apps/web image updated\n' },
    { run: 'set image deployment/web other=nginx:2', code: 1, warns: ['unable to find container named "other"'] },
    { run: 'set env deployment/web COLOR=blue', says: 'deployment.apps/web env updated\n' },
    {
      run: 'set resources deployment/web --limits=cpu=200m,memory=64Mi',
      says: 'deployment.apps/web resource requirements updated\n',
    },
    [
      {
        run: jsonpath(
          'deploy/web',
          `${container}.image} {${container}.env[0].value} {${container}.resources.limits.cpu}{.metadata.generation`,
        ),
        says: 'nginx:2 blue 200m4',
      },
      { run: 'expose deployment web --port=80 --target-port=8080', says: 'service/web exposed\n' },
      {
        run: 'autoscale deployment web --min=2 --max=5 --cpu-percent=80',
        says: 'horizontalpodautoscaler.autoscaling/web autoscaled\n',
      },
      { run: 'create job now --from=cronjob/tick', says: 'job.batch/now created\n' },
      { run: 'run single --image=nginx:1 --labels=app=single --restart=Never', says: 'pod/single created\n' },
    ],
    { run: 'rollout pause deployment/web', says: 'deployment.apps/web paused\n' },
    [
      {
        run: 'get svc,hpa',
        shows: [
          'service/web ClusterIP ADDRESS <none> 80/TCP AGE',
          'horizontalpodautoscaler.autoscaling/web Deployment/web cpu: <unknown>/80% 2 5 0 AGE',
        ],
      },
      { run: jsonpath('svc/web', '.spec.selector.app} {.spec.ports[0].targetPort'), says: 'web 8080' },
      {
        run: jsonpath('job/now', '.metadata.ownerReferences[0].kind} {.metadata.annotations'),
        says: 'CronJob {"cronjob.kubernetes.io/instantiate":"manual"}',
      },
      {
        run: 'describe hpa/web job/now pod/single',
        shows: ['Deployment/web', 'Controlled By: CronJob/tick', 'Node: <none>'],
      },
      { run: 'rollout restart deployment/web', code: 1, warns: ["can't restart paused deployment"] },
    ],
    { run: 'rollout resume deployment/web', says: 'deployment.apps/web resumed\n' },
    { run: 'rollout restart deployment/web', says: 'deployment.apps/web restarted\n' },
    [
      { run: 'rollout history deployment/web', shows: ['deployment.apps/web'], thorough: true },
      {
        run: 'annotate pods,deployments,jobs --all seen=yes',
        says: 'pod/single annotated\ndeployment.apps/web annotated\njob.batch/now annotated\n',
      },
    ],
    { run: 'delete pods,jobs --all', shows: ['pod "single" deleted', 'job.batch "now" deleted'] },
  ],
}

const nodes: Script = {
  name: 'nodes',
  stages: [
    {
      run: 'create -f -',
      input: 'apiVersion: v1\nkind: Node\nmetadata: {name: kubectl-node}\n',
      says: 'node/kubectl-node created\n',
    },
    { run: 'taint nodes kubectl-node gpu=yes:NoSchedule', says: 'node/kubectl-node tainted\n' },
    [
      {
        run: 'taint nodes kubectl-node gpu=no:NoSchedule',
        code: 1,
        warns: ['already has gpu taint(s) with same effect(s) and --overwrite is false'],
      },
      { run: 'taint nodes kubectl-node gpu=no:Never', code: 1, warns: ['invalid taint effect: Never'], thorough: true },
      { run: 'cordon kubectl-node', says: 'node/kubectl-node cordoned\n' },
    ],
    [
      { run: 'cordon kubectl-node', says: 'node/kubectl-node already cordoned\n' },
      {
        run: 'get nodes kubectl-node',
        says: 'NAME STATUS ROLES AGE VERSION\nkubectl-node Unknown,SchedulingDisabled <none> AGE\n',
      },
      { run: 'describe node kubectl-node', shows: ['gpu=yes:NoSchedule', 'Unschedulable: true'] },
      { run: jsonpath('node/kubectl-node', '.spec.taints[*].key'), shows: ['gpu'] },
    ],
    { run: 'drain kubectl-node', shows: ['node/kubectl-node drained'] },
    { run: 'uncordon kubectl-node', says: 'node/kubectl-node uncordoned\n' },
    { run: 'taint nodes kubectl-node gpu-', says: 'node/kubectl-node untainted\n' },
    { run: 'delete node kubectl-node', shows: ['node "kubectl-node" deleted'] },
  ],
}

const configMaps = (...names: string[]): string =>
  names
    .map((name) => {
      return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, labels: {app: pruned}}\ndata: {a: "1"}\n`
    })
    .join('---\n')
const applysets = { KUBECTL_APPLYSET: 'true' }

const pruning: Script = {
  name: 'pruning',
  stages: [
    {
      run: 'apply -f - --prune -l app=pruned --prune-allowlist=core/v1/ConfigMap',
      input: configMaps('one', 'two'),
      says: 'configmap/one created\nconfigmap/two created\n',
    },
    {
      run: 'apply -f - --prune -l app=pruned --prune-allowlist=core/v1/ConfigMap',
      input: configMaps('one'),
      says: 'configmap/one unchanged\nconfigmap/two pruned\n',
    },
    { run: 'get configmaps -l app=pruned -o name', says: 'configmap/one\n' },
    {
      run: 'apply -f - --prune --applyset=set',
      input: configMaps('three', 'four'),
      env: applysets,
      says: 'configmap/three created\nconfigmap/four created\n',
    },
    {
      run: 'apply -f - --prune --applyset=set',
      input: configMaps('three'),
      env: applysets,
      says: 'configmap/three unchanged\nconfigmap/four pruned\n',
    },
    [
      { run: 'get configmaps -l app=pruned -o name', says: 'configmap/one\nconfigmap/three\n' },
      {
        run: 'get secret set -o yaml',
        shows: ['applyset.kubernetes.io/contains-group-kinds: ConfigMap', 'applyset.kubernetes.io/tooling: kubectl/v'],
      },
    ],
  ],
}

const folder = fileURLToPath(new URL('./testdata/kustomize', import.meta.url))

const kustomize: Script = {
  name: 'kustomize',
  stages: [
    { run: `kustomize ${folder}`, shows: ['name: web-settings-', 'team: blue'] },
    { run: `diff -k ${folder}`, code: 1, shows: [/^\+ +replicas: 3$/m] },
    {
      run: `apply -k ${folder}`,
      shows: [/^configmap\/web-settings-\w+ created$/m, 'service/web created\n', 'deployment.apps/web created\n'],
    },
    [
      {
        run: jsonpath('deploy/web', `.spec.replicas} {${container}.envFrom[0].configMapRef.name`),
        shows: [/^3 web-settings-/],
      },
      {
        run: `apply -k ${folder}`,
        shows: [/^configmap\/web-settings-\w+ unchanged$/m, 'deployment.apps/web unchanged\n'],
      },
    ],
    {
      run: `apply -k ${folder} --server-side --force-conflicts`,
      shows: ['deployment.apps/web serverside-applied\n'],
      thorough: true,
    },
    { run: `delete -k ${folder}`, shows: ['service "web" deleted', 'deployment.apps "web" deleted'] },
  ],
}

const access: Script = {
  name: 'access',
  stages: [
    [
      { run: 'auth whoami', shows: [/^Username admin$/m, '[system:masters system:authenticated]'] },
      {
        run: 'auth whoami --as bob --as-group ops --as-uid 7',
        shows: [/^Username bob$/m, /^UID 7$/m, '[ops system:authenticated]'],
      },
      { run: 'auth can-i create pods', says: 'yes\n' },
      { run: 'auth can-i --list', shows: [/^\*\.\* \[\] \[\] \[\*\]$/m] },
      created('serviceaccount robot', 'serviceaccount/robot'),
      created('role reader --verb=get,list --resource=pods', 'role.rbac.authorization.k8s.io/reader'),
    ],
    { run: 'create token robot', keep: 'token', shows: [/^TOKEN$/m] },
    [
      {
        run: (kept) => `auth whoami --token ${kept('token').trim()}`,
        shows: [/^Username system:serviceaccount:access:robot$/m],
      },
      { run: 'create token robot --duration=1h --audience=vault', shows: [/^TOKEN$/m] },
      { run: 'create token robot --duration=1m', code: 1, warns: ['may not specify a duration less than 10 minutes'] },
      { run: 'create token nobody', code: 1, warns: ['serviceaccounts "nobody" not found'] },
      {
        run: 'auth reconcile -f -',
        input:
          'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: reader, namespace: ' +
          'access}\nrules: [{apiGroups: [""], resources: [pods], verbs: [watch]}]\n',
        shows: ['role.rbac.authorization.k8s.io/reader reconciled'],
      },
    ],
  ],
}

export const commands: readonly Script[] = [questions, makers, workloads, nodes, pruning, kustomize, access]
