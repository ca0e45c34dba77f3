/** Every verb for every kind: one command line handles the samples of all kinds and prints each. */
import { kinds, widgetDefinition, type SampleKind } from './kinds.ts'
import type { Script, Step } from './script.ts'

const builtIn = kinds.filter(({ custom }) => custom !== true)
const scaling = kinds.filter(({ scales }) => scales === true)
const gone = kinds.filter(({ deletedRow }) => deletedRow === undefined)
const held = kinds.filter(({ deletedRow }) => deletedRow !== undefined)

const objects = (some: readonly SampleKind[]): string => some.map(({ object }) => object).join(' ')
const lines = (some: readonly SampleKind[], line: (kind: SampleKind) => string): string =>
  some.map((kind) => `${line(kind)}\n`).join('')
const all = objects(kinds)
const types = kinds.map(({ type }) => type).join(',')
const ofEach = (what: string): string => lines(kinds, ({ object }) => `${object} ${what}`)
const names = ofEach('').replaceAll(' ', '')

const manifests = kinds.map(({ manifest }) => manifest).join('---\n')
const relabelled = manifests.replaceAll(
  'name: sample, labels: {app: sample}',
  'name: sample, labels: {app: sample, tier: web}',
)
const recoloured = relabelled.replaceAll('color: blue', 'color: red')

/** Tables of several kinds are separated by an empty line, and names have their types as prefix. */
function tables(
  some: readonly SampleKind[],
  header: (kind: SampleKind) => string,
  row: (kind: SampleKind) => string,
): string {
  return some.map((kind) => `${header(kind)}\n${row(kind)}\n`).join('\n')
}
const joined = (...parts: (string | undefined)[]): string => parts.filter((part) => part !== undefined).join(' ')

const lists: readonly Step[] = [
  {
    run: `get ${all}`,
    says: tables(
      kinds,
      ({ columns }) => `NAME ${columns}`,
      ({ object, row }) => `${object} ${row}`,
    ),
  },
  {
    run: `get ${all} -o wide`,
    says: tables(
      kinds,
      ({ columns, wideColumns }) => joined('NAME', columns, wideColumns),
      ({ object, row, wideRow }) => joined(object, row, wideRow),
    ),
  },
  { run: `get ${all} --show-labels`, shows: kinds.map(({ object, row }) => `${object} ${row} app=sample`) },
  {
    thorough: true,
    run: `get ${all} -L app --no-headers`,
    says: lines(kinds, ({ object, row }) => `${object} ${row} sample`),
  },
  { run: `get ${all} -o name`, says: names },
  { run: `get ${all} -o json`, shows: kinds.map(({ manifest }) => `"kind": "${kindOf(manifest)}"`) },
  { thorough: true, run: `get ${all} -o yaml`, shows: kinds.map(({ manifest }) => `kind: ${kindOf(manifest)}\n`) },
  {
    thorough: true,
    run: `get ${all} -o yaml --show-managed-fields`,
    shows: [
      'manager: kubectl-create',
      'f:annotations:',
      /^ +- apiVersion: kubectl.example.com\/v1\n +fieldsType: FieldsV1$/m,
    ],
  },
  {
    run: `get ${all} -o 'jsonpath={range .items[*]}{.kind} {.metadata.annotations.color}{"\\n"}{end}'`,
    says: lines(kinds, ({ manifest }) => `${kindOf(manifest)} blue`),
  },
  {
    run: `get ${all} -o 'go-template={{range .items}}{{.metadata.labels.app}} {{end}}'`,
    says: 'sample '.repeat(kinds.length).trimEnd(),
  },
  {
    run: `get ${all} -o custom-columns=KIND:.kind,COLOR:.metadata.annotations.color`,
    says: `KIND COLOR\n${lines(kinds, ({ manifest }) => `${kindOf(manifest)} blue`)}`,
  },
  { run: `get ${types} -l app=sample -o name`, says: names },
  { thorough: true, run: `get ${types} -l app=other`, says: '' },
  { thorough: true, run: `get ${types} -l 'app in (sample),!tier' -o name`, says: names },
  { run: `get ${types} --field-selector metadata.name=sample -o name`, says: names },
  { thorough: true, run: `get ${types} --field-selector metadata.name!=sample -l app=sample -o name`, says: '' },
  { run: 'get pods --field-selector status.phase=Pending -o name', says: 'pod/sample\n' },
  {
    thorough: true,
    run: 'get pods --field-selector status.colour=blue',
    code: 1,
    warns: ['field label not supported: status.colour'],
  },
  {
    run: `get ${types} -A -l app=sample`,
    shows: kinds.map(({ object, row, clusterWide }) => `${clusterWide === true ? '' : 'verbs '}${object} ${row}`),
  },
  { thorough: true, run: `get ${types} -l app=sample --sort-by=.kind -o name`, shows: ['configmap/sample\n'] },
  {
    run: 'get all -l app=sample -o name',
    shows: ['pod/sample\n', 'service/sample\n', 'job.batch/sample\n', 'widget.kubectl.example.com/sample\n'],
  },
  {
    run: `get ${kinds.map(({ object }) => object.replace('/sample', '/nothing')).join(' ')}`,
    code: 1,
    warns: kinds.map(({ type }) => new RegExp(`\\(NotFound\\): ${type}.* "nothing" not found`)),
  },
  { run: `describe ${all}`, shows: kinds.flatMap(({ described }) => described) },
  {
    thorough: true,
    run: 'create -f -',
    input: manifests,
    code: 1,
    warns: kinds.map(({ type }) => new RegExp(`\\(AlreadyExists\\): .*${type}.* "sample" already exists`)),
  },
  ...kinds.map(({ type, explained }): Step => ({
    run: `explain ${type}`,
    shows: [`${explained}\n`, 'metadata <ObjectMeta>\n'],
    prose: true,
  })),
  // Words that both servers have in the descriptions of fields that every custom resource has.
  { run: 'explain widgets', shows: [/^ {2}apiVersion <string>\n {4}APIVersion defines /m], prose: true },
  {
    run: 'explain widgets.metadata',
    shows: ["Standard object's metadata", /^ {2}creationTimestamp <string>\n {4}CreationTimestamp is a timestamp /m],
    prose: true,
  },
]

function kindOf(manifest: string): string {
  return /kind: (\w+)/.exec(manifest)?.[1] ?? ''
}

const colours = `get ${all} -o 'jsonpath={.items[*].metadata.annotations.color}'`
const eachIs = (colour: string): string => Array.from(kinds, () => colour).join(' ')

export const verbs: Script = {
  name: 'verbs',
  stages: [
    {
      run: 'create -f -',
      input: widgetDefinition,
      says: 'customresourcedefinition.apiextensions.k8s.io/widgets.kubectl.example.com created\n',
    },
    { run: 'wait --for=condition=Established crd/widgets.kubectl.example.com --timeout=20s', shows: ['condition met'] },
    { run: 'get widgets', patient: true, says: '' },
    {
      thorough: true,
      run: 'create --save-config --dry-run=server -f -',
      input: builtIn.map(({ manifest }) => manifest).join('---\n'),
      shows: builtIn.map(({ object }) => `${object} created (server dry run)\n`),
    },
    { run: 'create --save-config -f -', input: manifests, says: ofEach('created') },
    lists,
    { run: 'apply -f -', input: manifests, says: ofEach('unchanged') },
    { run: 'diff -f -', input: relabelled, code: 1, shows: [{ text: 'tier: web\n', times: kinds.length }] },
    { run: 'apply -f -', input: relabelled, says: ofEach('configured') },
    [
      { thorough: true, run: 'diff -f -', input: relabelled, says: '' },
      { run: `get ${types} -l tier=web -o name`, says: names },
    ],
    { run: 'apply --server-side --field-manager=ssa -f -', input: relabelled, says: ofEach('serverside-applied') },
    {
      thorough: true,
      run: 'apply --server-side --field-manager=other -f -',
      input: recoloured,
      code: 1,
      warns: [
        { text: '.metadata.annotations.color', times: kinds.length },
        { text: 'with "ssa"', times: kinds.length },
      ],
    },
    {
      thorough: true,
      run: 'apply --server-side --field-manager=other --force-conflicts -f -',
      input: recoloured,
      says: ofEach('serverside-applied'),
    },
    { thorough: true, run: colours, says: eachIs('red') },
    { run: `label ${all} way=label`, says: ofEach('labeled') },
    [
      {
        run: `label ${all} way=other`,
        code: 1,
        warns: ["'way' already has a value (label), and --overwrite is false"],
      },
      { thorough: true, run: `label ${all} way=label`, says: ofEach('not labeled') },
      { run: `get ${types} -l way=label -o name`, says: names },
    ],
    { thorough: true, run: `label ${all} way=other --overwrite`, says: ofEach('labeled') },
    { run: `label ${all} way-`, says: ofEach('unlabeled') },
    { run: `annotate ${all} color=blue --overwrite`, says: ofEach('annotated') },
    { run: `edit ${all}`, says: ofEach('edited') },
    { run: colours, says: eachIs('green') },
    { run: `patch ${all} --type=merge -p '{"metadata":{"annotations":{"color":"merge"}}}'`, says: ofEach('patched') },
    {
      run:
        `patch ${all} --type=json -p ` +
        `'[{"op":"test","path":"/metadata/annotations/color","value":"merge"},{"op":"replace","path":"/` +
        `metadata/annotations/color","value":"json"}]'`,
      says: ofEach('patched'),
    },
    [
      {
        thorough: true,
        run: `patch ${all} --type=json -p '[{"op":"test","path":"/metadata/annotations/color","value":"x"}]'`,
        code: 1,
        warns: [/the server rejected our request due to an error in our request|testing value/],
      },
      {
        run: `patch ${objects(builtIn)} --type=strategic -p '{"metadata":{"annotations":{"color":"strategic"}}}'`,
        says: lines(builtIn, ({ object }) => `${object} patched`),
      },
      {
        run: `patch ${objects(kinds.filter(({ custom }) => custom === true))} --type=strategic -p '{}'`,
        code: 1,
        warns: ['strategic-merge-patch+json is not supported by kubectl.example.com/v1, Kind=Widget'],
      },
    ],
    {
      run: `get ${all} -o yaml`,
      keep: 'current',
      shows: [{ text: 'color: strategic', times: builtIn.length }, 'color: json'],
    },
    {
      run: 'replace -f -',
      input: (kept) => kept('current').replaceAll(/color: (strategic|json)/g, 'color: replace'),
      says: ofEach('replaced'),
    },
    {
      thorough: true,
      run: 'replace -f -',
      input: (kept) => kept('current'),
      code: 1,
      warns: [{ text: 'the object has been modified', times: kinds.length }],
    },
    [
      {
        run: `wait ${all} '--for=jsonpath={.metadata.annotations.color}=replace' --timeout=20s`,
        says: ofEach('condition met'),
      },
      {
        thorough: true,
        run: `wait ${objects(scaling)} '--for=jsonpath={.spec.replicas}=5' --timeout=20s`,
        says: lines(scaling, ({ object }) => `${object} condition met`),
      },
      { run: `scale ${objects(scaling)} --replicas=5`, says: lines(scaling, ({ object }) => `${object} scaled`) },
      { thorough: true, run: 'scale configmap/sample --replicas=5', code: 1, warns: [/could not find|not found/] },
    ],
    {
      thorough: true,
      run: `scale ${objects(scaling)} --replicas=1 --current-replicas=4`,
      code: 1,
      warns: ['Expected replicas to be 4, was 5'],
    },
    { run: `get ${objects(scaling)} -o 'jsonpath={.items[*].spec.replicas}'`, says: '5 5 5' },
    {
      run:
        'patch widget/sample --subresource=status --type=merge -p ' +
        `'{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'`,
      says: 'widget.kubectl.example.com/sample patched\n',
    },
    {
      run: 'wait widget/sample --for=condition=Ready --timeout=20s',
      says: 'widget.kubectl.example.com/sample condition met\n',
    },
    {
      run: `label ${all} watched=yes`,
      shows: [{ text: 'ADDED', times: kinds.length }, { text: 'MODIFIED', times: kinds.length }, ofEach('labeled')],
      watches: kinds.map(
        ({ type, clusterWide }) =>
          `get ${type} -w --output-watch-events ${clusterWide === true ? '-l app=sample' : ''}`,
      ),
    },
    {
      thorough: true,
      run: `delete ${all} --dry-run=server`,
      shows: kinds.map(({ object }) => new RegExp(`${object.replace('/', ' "')}" deleted.*\\(server dry run\\)`)),
    },
    [
      { run: `wait ${objects(gone)} --for=delete --timeout=20s`, incomparable: true },
      { run: `delete ${all} --wait=false`, shows: kinds.map(({ object }) => `${object.replace('/', ' "')}" deleted`) },
    ],
    [
      {
        run: `get ${types} -l app=sample`,
        says: tables(
          held,
          ({ columns }) => `NAME ${columns}`,
          ({ object, deletedRow = '' }) => `${object} ${deletedRow}`,
        ),
      },
      { run: `delete ${objects(gone)}`, code: 1, warns: [{ text: '(NotFound)', times: gone.length }] },
    ],
  ],
}
