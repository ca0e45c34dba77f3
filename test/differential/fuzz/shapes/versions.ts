/**
 * Shapes with several versions of different strictness, cluster-scoped shapes, and shapes with columns and selectors.
 */
import type { JsonObject } from '../../../../src/api/json.ts'
import { atomicMap, bag, either, flag, keyed, list, map, object, ruled, set, shape, text, whole } from './shape.ts'
import type { Shape } from './shape.ts'

const short: JsonObject = { ...text, maxLength: 12 }
const lower: JsonObject = { ...text, maxLength: 12, pattern: '^[a-z]*$' }
const status = object({ phase: text, replicas: whole, selector: text })
const scale = (path: string): JsonObject => ({
  specReplicasPath: path,
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
})

export const versionShapes: readonly Shape[] = [
  shape({
    // v2 is stricter than v1: values that are valid only in v1 may stay in an update through v2.
    kind: 'Edition',
    properties: {
      spec: object({
        title: text,
        pages: whole,
        replicas: { ...whole, default: 1 },
        tags: list(text),
        authors: keyed(['name'], { name: text, role: text, age: whole }),
        notes: map(text),
        cover: object({ color: text, size: text }),
        range: object({ from: whole, to: whole }),
        either,
        onlyOne: text,
        shared: { ...text, default: 'one' },
      }),
      status,
    },
    more: {
      subresources: { status: {}, scale: scale('.spec.replicas') },
      additionalPrinterColumns: [
        { name: 'Title', type: 'string', jsonPath: '.spec.title' },
        { name: 'Pages', type: 'integer', jsonPath: '.spec.pages' },
      ],
      selectableFields: [{ jsonPath: '.spec.title' }],
    },
    otherVersions: {
      v2: {
        properties: {
          spec: ruled(
            object(
              {
                title: lower,
                pages: { ...whole, minimum: 1, maximum: 100, multipleOf: 5 },
                replicas: { ...whole, default: 2, maximum: 5 },
                tags: set(lower, { maxItems: 3 }),
                authors: keyed(
                  ['name'],
                  {
                    name: lower,
                    role: { ...text, enum: ['editor', 'writer'] },
                    age: ruled(whole, { rule: 'self > 17', message: 'too young' }),
                  },
                  { maxItems: 4 },
                ),
                notes: map(lower, { maxProperties: 2 }),
                cover: object({ color: { ...text, enum: ['red', 'blue'] }, size: text }, { required: ['color'] }),
                range: ruled(object({ from: whole, to: whole }), {
                  rule: '!has(self.from) || !has(self.to) || self.from < self.to',
                  message: 'from before to',
                }),
                either: { ...either, maxLength: 2, maximum: 50 },
                onlyTwo: text,
                shared: { ...text, default: 'two' },
              },
              { required: ['title'] },
            ),
            { rule: '!has(self.title) || self.title.size() > 2', message: 'title too short', fieldPath: '.title' },
          ),
          status: object({
            phase: { ...text, enum: ['New', 'Ready'] },
            replicas: { ...whole, maximum: 3 },
            selector: text,
          }),
        },
        more: {
          subresources: { status: {}, scale: scale('.spec.pages') },
          additionalPrinterColumns: [
            { name: 'Author', type: 'string', jsonPath: '.spec.authors[0].name' },
            { name: 'Version', type: 'string', jsonPath: '.apiVersion' },
          ],
        },
      },
      v1beta1: {
        properties: {
          spec: object({
            title: text,
            tags: list(text, { 'x-kubernetes-list-type': 'atomic' }),
            cover: object({ color: text, size: text }, atomicMap),
            authors: list(object({ name: text, role: text })),
            rest: bag,
          }),
          status,
        },
        more: { deprecated: true, deprecationWarning: 'use v1', subresources: { status: {} } },
      },
    },
    full: {
      spec: {
        title: 'good',
        pages: 10,
        replicas: 2,
        tags: ['a', 'b'],
        authors: [
          { name: 'ann', role: 'editor', age: 30 },
          { name: 'bob', role: 'writer' },
        ],
        notes: { a: 'x' },
        cover: { color: 'red', size: 'l' },
        range: { from: 1, to: 2 },
        either: 5,
        onlyOne: '1',
        onlyTwo: '2',
        shared: 's',
      },
    },
    minimal: { spec: { title: 'short' } },
    changes: [
      { spec: { title: 'BAD' } },
      { spec: { title: 'x', pages: 7 } },
      { spec: { tags: ['B', 'B', 'a', 'c'] } },
      {
        spec: {
          authors: [
            { name: 'Bob', role: 'reader', age: 5 },
            { name: 'ann', role: 'none' },
          ],
        },
      },
      { spec: { notes: { a: 'X', b: 'y', c: 'z' } } },
      { spec: { cover: { color: 'Green' } } },
      { spec: { cover: { color: null, size: 'm' } } },
      { spec: { range: { from: 9 } } },
      { spec: { either: 99 } },
      { spec: { either: 'abc' } },
      { spec: { pages: 500, replicas: 9 } },
      { spec: { authors: [{ name: 'ann', age: 17 }] } },
      { metadata: { labels: { app: 'a' } } },
      { spec: { range: { to: 0 }, title: 'better' } },
      { spec: { title: null } },
      { spec: { rest: { any: 1 } } },
    ],
    status: { status: { phase: 'Odd', replicas: 4, selector: 'a=b' } },
    selectors: ['spec.title%3Dgood', 'spec.title!%3DBAD'],
  }),
  shape({
    kind: 'Realm',
    clusterScoped: true,
    properties: {
      spec: object(
        {
          owner: lower,
          quota: map(either),
          members: keyed(['user'], { user: short, admin: { ...flag, default: false } }),
          active: flag,
          level: whole,
          replicas: { ...whole, minimum: 0 },
        },
        { required: ['owner'] },
      ),
      status,
    },
    full: {
      spec: {
        owner: 'ann',
        quota: { cpu: 4, memory: '1Gi' },
        members: [{ user: 'a' }, { user: 'b', admin: true }],
        active: true,
        level: 3,
        replicas: 1,
      },
    },
    minimal: { spec: { owner: 'bob' } },
    changes: [
      { spec: { owner: 'Ann' } },
      { spec: { owner: null } },
      { spec: { members: [{ user: 'a' }, { user: 'a' }] } },
      { spec: { active: false, level: 7 } },
      { spec: { quota: { cpu: null, disk: '5' } } },
    ],
    status: { status: { phase: 'Open', replicas: 1, selector: 'realm=x' } },
    selectors: ['spec.owner%3Dann', 'spec.active%3Dtrue', 'spec.level!%3D3', 'spec.owner%3Dann,spec.active%3Dfalse'],
    more: {
      subresources: { status: {}, scale: scale('.spec.replicas') },
      selectableFields: [{ jsonPath: '.spec.owner' }, { jsonPath: '.spec.active' }, { jsonPath: '.spec.level' }],
      additionalPrinterColumns: [
        { name: 'Owner', type: 'string', jsonPath: '.spec.owner' },
        { name: 'Active', type: 'boolean', jsonPath: '.spec.active' },
        { name: 'Level', type: 'integer', jsonPath: '.spec.level' },
        { name: 'First', type: 'string', jsonPath: '.spec.members[0].user' },
        { name: 'Cpu', type: 'string', jsonPath: '.spec.quota.cpu', priority: 1 },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
  }),
  shape({
    // Columns of every type, with all kinds of paths, for values that may have another type.
    kind: 'Chart',
    properties: {
      spec: object({
        text,
        number: { type: 'number' },
        whole,
        flag,
        when: { ...text, format: 'date-time' },
        names: list(text),
        points: list(object({ name: text, x: whole, on: flag })),
        by: map(text),
        any: { 'x-kubernetes-preserve-unknown-fields': true },
        replicas: whole,
      }),
    },
    full: {
      spec: {
        text: 't',
        number: 1.5,
        whole: 7,
        flag: true,
        when: '2026-01-02T03:04:05Z',
        names: ['a', 'b', 'c'],
        points: [
          { name: 'p', x: 1, on: true },
          { name: 'q', x: 2 },
          { name: 'p', x: 3 },
        ],
        by: { 'a.b': '1', c: '2' },
        any: { deep: { er: [1, 2] } },
        replicas: 2,
      },
    },
    changes: [
      { spec: { any: 'text' } },
      { spec: { any: [1, { a: null }, 'x'] } },
      { spec: { any: 1.25, number: 3 } },
      { spec: { any: false, number: 1e21 } },
      { spec: { when: '2036-01-02T03:04:05Z', flag: false } },
      { spec: { names: [], points: [] } },
      { spec: { number: 0.1, whole: -5, text: '' } },
      { spec: { text: null, number: null, whole: null, flag: null, when: null } },
      { spec: { any: { deep: 'x' } } },
      { spec: { points: [{ x: 5 }, { name: 'p' }] } },
      { spec: { any: 12345678901, number: -0.000001 } },
    ],
    selectors: ['spec.whole%3D7', 'spec.flag%3Dfalse', 'spec.text%3D', 'spec.text%3Dt,spec.whole!%3D5'],
    more: {
      subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
      selectableFields: [{ jsonPath: '.spec.text' }, { jsonPath: '.spec.whole' }, { jsonPath: '.spec.flag' }],
      additionalPrinterColumns: [
        ['Text', 'string', '.spec.text'],
        ['Number', 'number', '.spec.number'],
        ['Whole', 'integer', '.spec.whole'],
        ['Flag', 'boolean', '.spec.flag'],
        ['First Seen', 'date', '.spec.when'],
        ['Names', 'string', '.spec.names'],
        ['Last', 'string', '.spec.names[-1]'],
        ['Some', 'string', '.spec.names[0:2]'],
        ['Every', 'string', '.spec.points[*].name'],
        ['Found', 'string', '.spec.points[?(@.name=="p")].x'],
        ['Big', 'integer', '.spec.points[?(@.x>1)].x'],
        ['Key', 'string', '.spec.by.a\\.b'],
        ['Any', 'string', '.spec.any'],
        ['Any number', 'number', '.spec.any'],
        ['Any whole', 'integer', '.spec.any'],
        ['Any flag', 'boolean', '.spec.any'],
        ['Deep', 'string', '.spec.any.deep.er[1]'],
        ['Deepest', 'string', '.spec..name'],
      ].map(([name, type, jsonPath]) => ({ name, type, jsonPath }) as JsonObject),
    },
  }),
]
