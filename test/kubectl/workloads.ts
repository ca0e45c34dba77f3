/** StatefulSets, DaemonSets, Jobs and CronJobs: roll-outs and what else kubectl does with them. */
import { jsonpath } from './queries.ts'
import type { Script, Step } from './script.ts'

const workload = (kind: string, name: string, spec: object): Step => ({
  run: 'apply -f -',
  input: JSON.stringify({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: {
      ...spec,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } },
    },
  }),
  says: `${kind.toLowerCase()}.apps/${name} created\n`,
})

/** From a first roll-out to a restart; `done` is the end of `rollout status`. */
const rolling = (object: string, done: string): readonly Step[] => {
  const complete: Step = { run: `rollout status ${object} --timeout=120s`, shows: [done], incomparable: true }
  const imageOf = jsonpath(object, '.spec.template.spec.containers[0].image')
  return [
    complete,
    { run: `set image ${object} main=nginx:2`, says: `${object} image updated\n` },
    complete,
    {
      run: `rollout history ${object}`,
      says: `${object}\nREVISION CHANGE-CAUSE\n1 <none>\n2 <none>\n\n`,
      patient: true,
    },
    { run: `rollout history ${object} --revision=2`, shows: [`${object} with revision #2\n`, 'Image: nginx:2\n'] },
    { run: `rollout undo ${object}`, says: `${object} rolled back\n` },
    complete,
    { run: imageOf, says: 'nginx:1' },
    { run: `rollout restart ${object}`, says: `${object} restarted\n` },
    complete,
    {
      run: `rollout history ${object}`,
      says: `${object}\nREVISION CHANGE-CAUSE\n2 <none>\n3 <none>\n4 <none>\n\n`,
      patient: true,
    },
  ]
}

export const workloads: Script = {
  name: 'workloads',
  stages: [
    [
      workload('StatefulSet', 'db', { replicas: 2, serviceName: 'db' }),
      workload('DaemonSet', 'agent', {}),
      {
        run: "create cronjob tick --image=batch:1 '--schedule=0 0 1 1 *'",
        says: 'cronjob.batch/tick created\n',
      },
    ],
    ...rolling('statefulset.apps/db', 'roll out complete: 2 new pods have been updated...\n'),
    ...rolling('daemonset.apps/agent', 'daemon set "agent" successfully rolled out\n'),
    { run: 'scale statefulset/db --replicas=3', says: 'statefulset.apps/db scaled\n' },
    {
      run: "wait statefulset/db '--for=jsonpath={.status.availableReplicas}=3' --timeout=120s",
      says: 'statefulset.apps/db condition met\n',
    },
    { run: 'create job now --from=cronjob/tick', says: 'job.batch/now created\n' },
    { run: 'wait job/now --for=condition=Complete --timeout=60s', says: 'job.batch/now condition met\n' },
    { run: 'get job now', says: 'NAME STATUS COMPLETIONS DURATION AGE\nnow Complete 1/1 AGE AGE\n' },
    {
      run: 'delete statefulset/db daemonset/agent cronjob/tick',
      shows: ['statefulset.apps "db" deleted', 'daemonset.apps "agent" deleted', 'cronjob.batch "tick" deleted'],
    },
    // Its owner is gone. Nothing is printed if it has gone already.
    { run: 'wait job/now --for=delete --timeout=60s', incomparable: true },
  ],
}
