/** Shapes with lists and maps that are merged in different ways: by key, as sets, atomically, nested. */
import { atomicMap, bag, either, flag, keyed, list, map, object, set, shape, text, whole, withStatus } from './shape.ts'
import type { Shape } from './shape.ts'

export const listShapes: readonly Shape[] = [
  shape({
    kind: 'Gadget',
    properties: {
      spec: object(
        {
          color: { ...text, enum: ['red', 'green', 'blue'], default: 'red' },
          replicas: { ...whole, format: 'int32', minimum: 0, maximum: 10, default: 1 },
          size: { ...text, maxLength: 5, pattern: '^[a-z]*$' },
          ports: keyed(
            ['port', 'protocol'],
            { port: { ...whole, format: 'int32' }, protocol: { ...text, default: 'TCP' }, name: text },
            { maxItems: 4 },
          ),
          tags: set(text),
          args: list(text, { 'x-kubernetes-list-type': 'atomic' }),
          limits: map(either),
        },
        { required: ['color'] },
      ),
      status: object({
        phase: text,
        replicas: { ...whole, format: 'int32' },
        selector: text,
        ready: { ...flag, nullable: true },
      }),
    },
    full: {
      spec: {
        color: 'green',
        replicas: 3,
        size: 'abc',
        ports: [
          { port: 80, name: 'http' },
          { port: 80, protocol: 'UDP' },
        ],
        tags: ['a', 'b'],
        args: ['x', 'y', 'x'],
        limits: { cpu: 1, memory: '1Gi' },
      },
    },
    changes: [
      { spec: { color: 'blue', tags: ['b', 'c'] } },
      { spec: { replicas: 11, size: 'ABCDEF', color: 'black' } },
      { spec: { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] } },
      { spec: { tags: ['a', 'a'], args: [] } },
    ],
    status: { status: { phase: 'Ready', replicas: 2, selector: 'a=b', ready: null } },
    selectors: ['spec.color%3Dgreen', 'spec.color!%3Dgreen', 'spec.size%3Dabc'],
    more: {
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
      additionalPrinterColumns: [
        { name: 'Color', type: 'string', jsonPath: '.spec.color' },
        { name: 'Size', type: 'string', jsonPath: '.spec.size', priority: 1 },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
      selectableFields: [{ jsonPath: '.spec.color' }],
    },
  }),
  shape({
    kind: 'Roster',
    properties: {
      spec: object({
        // Keys of every type, with and without defaults, and nested lists.
        teams: keyed(['name', 'level'], {
          name: text,
          level: { ...whole, default: 1 },
          lead: text,
          members: keyed(['id', 'active'], {
            id: either,
            active: { ...flag, default: true },
            roles: set(text),
            notes: map(text),
          }),
        }),
        numbers: set(whole),
        mixed: set(either),
        points: set(object({ x: whole, y: whole }, atomicMap)),
        pairs: set(list(whole, { 'x-kubernetes-list-type': 'atomic' })),
        steps: list(object({ run: text, with: map(text) }), { 'x-kubernetes-list-type': 'atomic' }),
      }),
    },
    full: {
      spec: {
        teams: [
          {
            name: 'a',
            lead: 'x',
            members: [{ id: 1, roles: ['r'], notes: { n: 'm' } }, { id: 1, active: false }, { id: '1' }],
          },
          { name: 'a', level: 2 },
        ],
        numbers: [1, 2],
        mixed: [1, '1', 'a'],
        points: [{ x: 1 }, { x: 1, y: 2 }],
        pairs: [
          [1, 2],
          [2, 1],
        ],
        steps: [{ run: 'a', with: { k: 'v' } }, { run: 'a' }],
      },
    },
    changes: [
      { spec: { teams: [{ name: 'a' }, { name: 'a', level: 1 }] } },
      { spec: { teams: [{ name: 'a', level: 3, members: [{ id: 2 }] }, { lead: 'nameless' }] } },
      {
        spec: {
          numbers: [2, 2],
          mixed: ['1', '1'],
          points: [{ x: 1 }, { x: 1 }],
          pairs: [
            [1, 2],
            [1, 2],
          ],
        },
      },
      { spec: { numbers: [3], points: null } },
    ],
  }),
  shape({
    kind: 'Tree',
    properties: {
      spec: object({
        regions: map(
          object({
            zones: map(list(text)),
            quota: map(map(whole)),
            plan: object({ size: text, kind: text }, atomicMap),
          }),
        ),
        whole: map(text, atomicMap),
        branch: object(
          { left: object({ leaf: text, bag }), right: object({ leaf: text, bag }, atomicMap) },
          { 'x-kubernetes-map-type': 'granular' },
        ),
        rows: list(list(whole)),
      }),
      data: map(text, { maxProperties: 3 }),
    },
    full: {
      spec: {
        regions: {
          north: {
            zones: { a: ['1', '2'], b: [] },
            quota: { cpu: { min: 1, max: 2 } },
            plan: { size: 'l', kind: 'k' },
          },
          south: {},
        },
        whole: { a: '1', b: '2' },
        branch: { left: { leaf: 'l', bag: { x: [1] } }, right: { leaf: 'r', bag: { y: { z: null } } } },
        rows: [[1, 2], [], [3]],
      },
      data: { k: 'v' },
    },
    changes: [
      { spec: { regions: { north: { quota: { cpu: { min: 5 }, memory: {} } }, east: { zones: {} } } } },
      { spec: { branch: { right: { leaf: 'other' } }, whole: { b: null } } },
      { data: { a: '1', b: '2', c: '3' } },
      { spec: { rows: [['x']], regions: { north: { zones: { a: [1] } } } } },
    ],
    more: withStatus,
    status: { status: { lost: true } },
  }),
]
