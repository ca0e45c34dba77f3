/** The real kubectl on the five kinds: what people type, with what they expect to see. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubectlVersion, startKubectl, type Kubectl } from './kubectl.ts'

const version = kubectlVersion()
if (version === undefined) console.log('kubectl is not on this machine: its tests are skipped')

const manifests: Record<string, string> = {
  configmap: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm, labels: {app: a}}\ndata: {color: blue}\n',
  secret: 'apiVersion: v1\nkind: Secret\nmetadata: {name: sec, labels: {app: a}}\nstringData: {password: hunter2}\n',
  pod: 'apiVersion: v1\nkind: Pod\nmetadata: {name: pod, labels: {app: a}}\nspec: {containers: [{name: c, image: "nginx:1"}]}\n',
  deployment:
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: dep, labels: {app: a}}\nspec:\n  replicas: 2\n' +
    '  selector: {matchLabels: {app: a}}\n  template:\n    metadata: {labels: {app: a}}\n    spec: {containers: [{name: c, image: "nginx:1"}]}\n',
  namespace: 'apiVersion: v1\nkind: Namespace\nmetadata: {name: team, labels: {app: a}}\n',
}

describe.skipIf(version === undefined)(`kubectl ${version ?? ''}`, () => {
  let kubectl: Kubectl
  beforeAll(async () => {
    kubectl = await startKubectl()
  })
  afterAll(() => kubectl.close())

  it('tells versions, resources and explanations', async () => {
    expect(await kubectl.ok('version')).toMatch(/Server Version: v1\.35/)
    const resources = await kubectl.ok('api-resources')
    expect(resources).toMatch(/^configmaps +cm +v1 +true +ConfigMap$/m)
    expect(resources).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m)
    expect(await kubectl.ok('api-versions')).toMatch(/^apps\/v1$/m)
    expect(await kubectl.ok('explain deployment.spec.strategy')).toMatch(/rollingUpdate/)
    expect(await kubectl.ok('explain pod --recursive')).toMatch(/containers/)
    expect(await kubectl.ok('explain configmap.data')).toMatch(/map\[string\]string/)
  })

  it.each(Object.entries(manifests))('creates a %s and applies it again', async (kind, manifest) => {
    expect(await kubectl.ok('create -f - --save-config', manifest)).toMatch(/created$/m)
    expect(await kubectl.run('create -f -', manifest)).toMatchObject({ code: 1, stderr: expect.stringContaining('AlreadyExists') })
    // A Secret's stringData is never read back, so kubectl sends it again.
    expect(await kubectl.ok('apply -f -', manifest)).toMatch(kind === 'secret' ? /configured$/m : /unchanged$/m)
    const relabelled = manifest.replace('app: a}}', 'app: a, tier: web}}')
    expect((await kubectl.run('diff -f -', relabelled)).stdout).toMatch(/^\+.*tier: web/m)
    expect(await kubectl.ok('apply -f -', relabelled)).toMatch(/configured$/m)
    if (kind !== 'secret') expect((await kubectl.run('diff -f -', relabelled)).code).toBe(0)
    expect(await kubectl.ok(`get ${kind} -l tier=web -o name`)).toMatch(/\//)
    // Server-side apply takes over what client-side apply owned, and drops what is no longer named.
    expect(await kubectl.ok('apply --server-side --field-manager=ssa -f -', manifest)).toMatch(/serverside-applied$/m)
    expect(await kubectl.ok(`get ${kind} -l tier=web -o name`)).toBe('')
  })

  it('shows every output', async () => {
    expect(await kubectl.ok('get configmap cm')).toMatch(/^NAME +DATA +AGE\ncm +1 +\d+s$/m)
    expect(await kubectl.ok('get secret sec')).toMatch(/^NAME +TYPE +DATA +AGE\nsec +Opaque +1 +\d+s$/m)
    expect(await kubectl.ok('get pod pod')).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\npod +0\/1 +Pending +0 +\d+s$/m)
    expect(await kubectl.ok('get pod pod -o wide')).toMatch(/NOMINATED NODE/)
    expect(await kubectl.ok('get deploy dep')).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\ndep +0\/2 +0 +0 +\d+s$/m)
    expect(await kubectl.ok('get ns team')).toMatch(/^NAME +STATUS +AGE\nteam +Active +\d+s$/m)
    expect(JSON.parse(await kubectl.ok('get cm cm -o json'))).toMatchObject({ kind: 'ConfigMap', data: { color: 'blue' } })
    expect(await kubectl.ok('get cm cm -o yaml')).toMatch(/^  color: blue$/m)
    expect(await kubectl.ok('get cm cm -o name')).toBe('configmap/cm\n')
    expect(await kubectl.ok("get cm cm -o 'jsonpath={.data.color}'")).toBe('blue')
    expect(await kubectl.ok('get cm cm -o custom-columns=C:.data.color')).toMatch(/^blue$/m)
    expect(await kubectl.ok("get cm cm -o 'go-template={{.data.color}}'")).toBe('blue')
    expect(await kubectl.ok('get cm,secret,pod,deploy -l app=a')).toMatch(/deployment.apps\/dep/)
    expect(await kubectl.ok('get cm -A')).toMatch(/^default +cm /m)
    expect(await kubectl.ok('get all')).toMatch(/pod\/pod/)
    expect(await kubectl.ok('get pods --field-selector status.phase=Pending -o name')).toBe('pod/pod\n')
    expect(await kubectl.ok('get pods --field-selector status.phase=Running -o name')).toBe('')
    expect(await kubectl.ok('get cm --show-labels --sort-by=.metadata.name')).toMatch(/app=a/)
    expect(await kubectl.ok('get --raw /readyz')).toBe('ok')
    expect((await kubectl.run('get cm nothing')).stderr).toMatch(/NotFound/)
  })

  it('describes', async () => {
    expect(await kubectl.ok('describe cm cm')).toMatch(/color:\n----\nblue/)
    expect(await kubectl.ok('describe secret sec')).toMatch(/password: +7 bytes/)
    expect(await kubectl.ok('describe pod pod')).toMatch(/Image: +nginx:1/)
    expect(await kubectl.ok('describe deploy dep')).toMatch(/Replicas: +2 desired/)
    expect(await kubectl.ok('describe ns team')).toMatch(/Status: +Active/)
  })

  it.each([
    ['configmap/cm', 'cm'], ['secret/sec', 'sec'], ['pod/pod', 'pod'], ['deployment.apps/dep', 'dep'], ['namespace/team', 'team'],
  ])('changes %s in every way', async (object, name) => {
    const annotation = async (key: string) => await kubectl.ok(`get ${object} -o 'jsonpath={.metadata.annotations.${key}}'`)
    expect(await kubectl.ok(`label ${object} way=label`)).toMatch(/labeled/)
    expect(await kubectl.ok(`get ${object.split('/')[0]} -l way=label -o name`)).toBe(`${object}\n`)
    expect(await kubectl.ok(`annotate ${object} way=annotate color=blue`)).toMatch(/annotated/)
    for (const [type, body] of [
      ['merge', '{"metadata":{"annotations":{"way":"merge"}}}'],
      ['json', '[{"op":"replace","path":"/metadata/annotations/way","value":"json"}]'],
      ['strategic', '{"metadata":{"annotations":{"way":"strategic"}}}'],
    ]) {
      expect(await kubectl.ok(`patch ${object} --type=${type} -p '${body}'`)).toMatch(/patched$/m)
      expect(await annotation('way')).toBe(type)
    }
    expect(await kubectl.ok(`edit ${object}`)).toMatch(/edited$/m)
    expect(await annotation('color')).toBe('green')
    const yaml = await kubectl.ok(`get ${object} -o yaml`)
    expect(await kubectl.ok('replace -f -', yaml.replace('way: strategic', 'way: replace'))).toMatch(/replaced$/m)
    expect(await kubectl.ok(`wait ${object} '--for=jsonpath={.metadata.annotations.way}=replace' --timeout=20s`)).toMatch(/condition met/)
    expect(await kubectl.ok(`get ${object} -o wide --show-labels`)).toMatch(/way=label/)
    expect(await kubectl.ok(`get ${object.split('/')[0]} --field-selector metadata.name=${name} -o name`)).toBe(`${object}\n`)
    expect(await kubectl.ok(`get ${object.split('/')[0]} -A -o json`)).toMatch(`"name": "${name}"`)
    expect(await kubectl.ok(`describe ${object}`)).toMatch(new RegExp(`^Name: +${name}$`, 'm'))
  })

  it('patches data in three ways, labels and sets images', async () => {
    expect(await kubectl.ok(`patch cm cm --type=merge -p '{"data":{"size":"1"}}'`)).toMatch(/patched$/m)
    expect(await kubectl.ok(`patch cm cm --type=json -p '[{"op":"replace","path":"/data/size","value":"2"}]'`)).toMatch(/patched$/m)
    expect(await kubectl.ok(`patch deploy dep --type=strategic -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s"}]}}}}'`)).toMatch(/patched$/m)
    expect(await kubectl.ok("get deploy dep -o 'jsonpath={.spec.template.spec.containers[*].name}'")).toBe('side c')
    expect(await kubectl.ok("get cm cm -o 'jsonpath={.data.size}'")).toBe('2')
    expect(await kubectl.ok('label cm cm new=1')).toMatch(/labeled/)
    expect((await kubectl.run('label cm cm new=2')).stderr).toMatch(/--overwrite is false/)
    expect(await kubectl.ok('label cm cm new-')).toMatch(/unlabeled/)
    expect(await kubectl.ok('annotate pod pod note=x')).toMatch(/annotated/)
    expect(await kubectl.ok('set image deploy/dep c=nginx:2')).toMatch(/image updated/)
  })

  it('replaces, scales and waits', async () => {
    const current = await kubectl.ok('get cm cm -o yaml')
    expect(await kubectl.ok('replace -f -', current.replace('color: green', 'color: red'))).toMatch(/replaced$/m)
    expect((await kubectl.run('replace -f -', current)).stderr).toMatch(/Conflict|the object has been modified/)
    expect(await kubectl.ok('scale deploy dep --replicas=5')).toMatch(/scaled$/m)
    expect(await kubectl.ok("get deploy dep -o 'jsonpath={.spec.replicas}'")).toBe('5')
    expect(await kubectl.ok("wait cm cm '--for=jsonpath={.data.color}=red' --timeout=20s")).toMatch(/condition met/)
    const waiting = kubectl.ok('wait pod pod --for=delete --timeout=30s')
    await kubectl.ok('delete pod pod')
    await waiting
  })

  it('watches', async () => {
    const watch = kubectl.start('get cm -w -o name')
    const lines: string[] = []
    const seen = (line: string) =>
      new Promise<void>((resolve) => {
        const look = () => lines.some((each) => each.includes(line)) && (watch.stdout?.off('data', look), resolve())
        watch.stdout?.on('data', look)
        look()
      })
    watch.stdout?.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n')))
    await seen('configmap/cm')
    await kubectl.ok('create cm watched --from-literal=a=1')
    await seen('configmap/watched')
    watch.kill()
  })

  it('refuses bad input in the words people know', async () => {
    expect((await kubectl.run('create -f -', manifests['pod']?.replace('image:', 'imag:'))).stderr).toMatch(/unknown field "spec.containers\[0\].imag"/)
    expect((await kubectl.run('create cm Bad_Name')).stderr).toMatch(/a lowercase RFC 1123 subdomain/)
    expect((await kubectl.run('apply -f -', manifests['deployment']?.replaceAll('matchLabels: {app: a}', 'matchLabels: {app: b}'))).stderr)
      .toMatch(/selector|immutable/)
  })

  it('deletes', async () => {
    expect(await kubectl.ok('delete cm cm')).toMatch(/deleted/)
    expect(await kubectl.ok('delete deploy,secret -l app=a')).toMatch(/deployment.apps "dep".*\n?.*secret "sec"/)
    expect(await kubectl.ok('delete cm --all')).toMatch(/watched/)
    expect((await kubectl.run('delete cm cm')).stderr).toMatch(/NotFound/)
    expect((await kubectl.run('delete ns default')).stderr).toMatch(/may not be deleted/)
    expect(await kubectl.ok('delete ns team --wait=false')).toMatch(/deleted/)
    expect(await kubectl.ok('get ns team')).toMatch(/Terminating/)
  })
})
