/** Shapes for single values: unknown fields, embedded objects, int-or-string, nulls, defaults, formats. */
import type { JsonObject } from '../../../../src/api/json.ts'
import {
  atomicMap,
  bag,
  either,
  flag,
  free,
  keyed,
  list,
  map,
  object,
  set,
  shape,
  text,
  whole,
  withStatus,
} from './shape.ts'
import type { Shape } from './shape.ts'

const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true }
const format = (name: string, more: JsonObject = {}): JsonObject => ({ ...text, format: name, ...more })

export const valueShapes: readonly Shape[] = [
  shape({
    kind: 'Bag',
    properties: {
      spec: { ...bag, properties: { known: flag, count: whole } },
      data: map(text),
      status: bag,
    },
    full: {
      spec: { known: true, count: 5, free: { deep: [1, { a: 'b' }] }, list: ['x', 2] },
      data: { k: 'v', l: 'w' },
    },
    changes: [
      { spec: { free: { deep: null, other: [] } } },
      { spec: { known: 'yes', count: 1.5 } },
      { status: { any: [{}] } },
    ],
  }),
  shape({
    kind: 'Nest',
    properties: {
      spec: object(
        {
          strategy: object({ type: text, amount: { type: 'number', minimum: 0 } }, atomicMap),
          rules: list(
            object(
              { host: { ...text, minLength: 1 }, paths: list(text), weight: { type: 'number', multipleOf: 0.5 } },
              { required: ['host'] },
            ),
            { minItems: 1 },
          ),
          choice: object({ left: text, right: text }, { oneOf: [{ required: ['left'] }, { required: ['right'] }] }),
          nullableText: { ...text, nullable: true },
          when: format('date-time'),
          template: { ...embedded, ...free },
        },
        { 'x-kubernetes-map-type': 'granular' },
      ),
      status: object({ seen: { ...whole, format: 'int64' } }),
    },
    full: {
      spec: {
        strategy: { type: 'Slow', amount: 1.5 },
        rules: [{ host: 'a', paths: ['/x', '/y'], weight: 1.5 }, { host: 'b' }],
        choice: { left: 'l' },
        nullableText: null,
        when: '2026-01-01T00:00:00Z',
        template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'inner', labels: { a: 'b' } }, spec: { any: 1 } },
      },
    },
    changes: [
      { spec: { choice: { right: 'r' } } },
      { spec: { choice: { left: null, right: 'r' } } },
      { spec: { strategy: { amount: -1 }, rules: [] } },
      { spec: { rules: [{ host: '', weight: 0.7 }, {}] } },
      { spec: { template: { kind: null, metadata: { labels: { 'not valid!': 'x' } } } } },
    ],
    more: withStatus,
    status: { status: { seen: 5 } },
  }),
  shape({
    // Unknown fields are preserved at some levels and pruned at others, including the root.
    kind: 'Vault',
    root: free,
    properties: {
      spec: object({
        shelf: object({ label: text, drawer: object({ key: text }) }, free),
        boxes: list(object({ id: text, inner: object({ known: text }) }, free)),
        slots: map({ ...bag, properties: { size: whole } }),
        strict: object({ open: bag, closed: object({ a: text }) }),
        anything: free,
        anythings: list(free),
      }),
    },
    full: {
      spec: {
        shelf: { label: 'l', extra: { deep: [null, 1] }, drawer: { key: 'k', lost: 'x' } },
        boxes: [{ id: 'a', more: true, inner: { known: 'k', lost: 1 } }, {}],
        slots: { one: { size: 1, other: 'x' }, two: {} },
        strict: { open: { v: { w: [] } }, closed: { a: 'b', lost: {} }, lost: 1 },
        anything: [1, 'a', { b: null }],
        anythings: [1, 'x', [2], { y: {} }],
      },
      beside: { spec: { a: 1 } },
      top: 'kept',
    },
    changes: [
      { spec: { anything: 'text', anythings: [null] } },
      { spec: { slots: { one: { size: 'x' }, three: 7 } } },
      { beside: [1], top: null },
      { spec: { boxes: [{ id: 1 }, 'x'], shelf: { drawer: [] } } },
      { spec: { strict: { lost: 2, open: { lost: 3 } } } },
    ],
  }),
  shape({
    kind: 'Wrapper',
    properties: {
      spec: object({
        any: { ...embedded, ...free },
        typed: {
          ...embedded,
          required: ['spec'],
          properties: {
            apiVersion: { ...text, enum: ['v1', 'v2'] },
            kind: text,
            metadata: object({ name: { ...text, maxLength: 8 } }),
            spec: object({ size: { ...whole, default: 2 } }),
          },
        },
        list: keyed(['name'], { name: text, item: { ...embedded, ...free } }),
        by: map({ ...embedded, properties: { data: map(text) } }),
      }),
    },
    full: {
      spec: {
        any: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'x', namespace: 'y', labels: { a: 'b' }, annotations: { c: 'd' }, creationTimestamp: null },
          spec: { z: [] },
        },
        typed: { apiVersion: 'v1', kind: 'Typed', metadata: { name: 'typed', labels: { e: 'f' } }, spec: {}, lost: 1 },
        list: [
          {
            name: 'n',
            item: {
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              metadata: {
                ownerReferences: [{ apiVersion: 'v1', kind: 'O', name: 'o', uid: 'u' }],
                finalizers: ['example.com/f'],
              },
            },
          },
        ],
        by: { k: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' }, lost: {} } },
      },
    },
    changes: [
      { spec: { any: { apiVersion: null, kind: '' } } },
      { spec: { typed: { apiVersion: 'v3', metadata: { name: 'much-too-long' }, spec: null } } },
      {
        spec: {
          list: [{ name: 'n', item: { kind: 'Not Valid!', metadata: { name: 'Not Valid!', labels: { '-': 'x' } } } }],
        },
      },
      { spec: { by: { k: { metadata: { unknown: 1, generation: 'x', labels: 7 } }, l: {} } } },
      { spec: { any: { metadata: { labels: { g: 'h' } } } } },
    ],
  }),
  shape({
    kind: 'Either',
    properties: {
      spec: object({
        plain: either,
        ranged: { ...either, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^\\d+%?$', maxLength: 4 },
        limited: { ...either, minimum: 1, maximum: 5 },
        defaulted: { ...either, default: '25%' },
        numbered: { ...either, default: 7 },
        listed: list(either, { maxItems: 3 }),
        mapped: map({ ...either, allOf: [{ maxLength: 3 }] }),
        nulled: { ...either, nullable: true },
        chosen: { ...either, enum: [1, '1', 'auto'] },
        keyed: keyed(['port'], { port: { ...either, default: 80 }, to: either }),
      }),
    },
    full: {
      spec: {
        plain: 5,
        ranged: '50%',
        limited: 3,
        defaulted: 1,
        numbered: 'x',
        listed: [1, 'a'],
        mapped: { a: 1, b: 'c' },
        nulled: null,
        chosen: 'auto',
        keyed: [{ to: 1 }, { port: '80', to: 'x' }],
      },
    },
    changes: [
      { spec: { plain: 1.5, limited: 9, chosen: 2 } },
      { spec: { ranged: 'many percent', listed: [1, 2, 3, 4] } },
      { spec: { chosen: '1', limited: '9', nulled: 'n' } },
      { spec: { keyed: [{ port: 80 }, {}], mapped: { a: 'toolong', b: true } } },
      { spec: { defaulted: null, numbered: null, plain: null } },
    ],
  }),
  shape({
    // Null and absent values, and their defaults.
    kind: 'Blank',
    properties: {
      spec: object(
        {
          text: { ...text, default: 'd' },
          nullable: { ...text, nullable: true },
          both: { ...text, nullable: true, default: 'b' },
          nothing: { ...text, nullable: true, default: null },
          part: object(
            {
              a: { ...text, default: 'pa' },
              b: { ...whole, nullable: true },
              c: object({ d: { ...flag, default: false } }, { default: {} }),
            },
            { default: {} },
          ),
          maybe: object({ a: { ...text, default: 'ma' } }, { nullable: true }),
          needed: object(
            { a: text, b: { ...whole, default: 3 } },
            { required: ['a', 'b'], default: { a: 'na', b: 4 } },
          ),
          items: list(
            object(
              { a: { ...text, default: 'ia' }, n: { ...text, nullable: true, default: 'in' } },
              { nullable: true },
            ),
            { default: [{}, { a: 'x' }] },
          ),
          values: map({ ...text, nullable: true }, { default: { k: 'v' } }),
          numbers: list({ ...whole, nullable: true }, { nullable: true }),
        },
        { default: {} },
      ),
      status: object({ phase: { ...text, default: 'New' }, seen: { ...whole, nullable: true } }, { default: {} }),
    },
    full: {
      spec: {
        text: 't',
        nullable: null,
        both: null,
        nothing: 'n',
        part: { a: null, b: null, c: {} },
        maybe: {},
        needed: { a: 'x' },
        items: [{}, null, { a: null, n: null }],
        values: { k: null, l: 'm' },
        numbers: [1, null],
      },
    },
    changes: [
      { spec: { text: null, part: { c: { d: null } }, maybe: null } },
      { spec: { needed: { a: null } } },
      { spec: { items: [null, { a: 7 }], numbers: ['x', null], values: { n: 1 } } },
      { spec: null },
      { spec: { both: 'set', nothing: null, needed: null, items: null, values: null, numbers: null } },
    ],
    more: withStatus,
    status: { status: { phase: null, seen: null } },
  }),
  shape({
    kind: 'Form',
    properties: {
      spec: object({
        time: format('date-time'),
        day: format('date'),
        span: format('duration'),
        bytes: format('byte'),
        id: format('uuid'),
        id3: format('uuid3'),
        v4: format('ipv4'),
        v6: format('ipv6'),
        net: format('cidr'),
        mac: format('mac'),
        mail: format('email'),
        host: format('hostname'),
        link: format('uri'),
        secret: format('password'),
        rgb: format('rgbcolor'),
        hex: format('hexcolor'),
        isbn: format('isbn'),
        card: format('creditcard'),
        object: format('bsonobjectid'),
        odd: format('unknown-format'),
        small: { ...whole, format: 'int32' },
        large: { ...whole, format: 'int64' },
        real: { type: 'number', format: 'double' },
        single: { type: 'number', format: 'float' },
        pattern: { ...text, pattern: '^([a-z]+-)*[a-z]+$', minLength: 2 },
        choice: { ...text, enum: ['a', 'b', ''] },
        numbers: { ...whole, enum: [1, 3, 5] },
        inside: {
          type: 'number',
          minimum: 0,
          exclusiveMinimum: true,
          maximum: 10,
          exclusiveMaximum: true,
          multipleOf: 2.5,
        },
        names: list({ ...text, maxLength: 4 }, { minItems: 1, maxItems: 3 }),
        pairs: map({ ...whole, minimum: 0 }, { minProperties: 1, maxProperties: 2 }),
        logic: {
          ...text,
          allOf: [{ minLength: 2 }, { pattern: '^a' }],
          anyOf: [{ maxLength: 3 }, { pattern: 'z$' }],
          not: { enum: ['aaa'] },
        },
        shapes: object(
          { circle: whole, square: whole, both: flag },
          { oneOf: [{ required: ['circle'] }, { required: ['square'] }], not: { required: ['both'] } },
        ),
        colours: set({ ...text, enum: ['r', 'g', 'b'] }),
      }),
    },
    full: {
      spec: {
        time: '2026-01-02T03:04:05.5Z',
        day: '2026-01-02',
        span: '1h30m',
        bytes: 'aGk=',
        id: '11111111-2222-3333-4444-555555555555',
        id3: '11111111-2222-3333-8444-555555555555',
        v4: '192.0.2.1',
        v6: '2001:db8::1',
        net: '192.0.2.0/24',
        mac: '00:00:5e:00:53:01',
        mail: 'a@example.com',
        host: 'a.example.com',
        link: 'https://example.com/a?b=c',
        secret: 's',
        rgb: 'rgb(1,2,3)',
        hex: '#aabbcc',
        isbn: '9783161484100',
        card: '4111111111111111',
        object: '507f1f77bcf86cd799439011',
        odd: 'any',
        small: 1,
        large: 9_007_199_254_740_991,
        real: 1.5,
        single: 0.25,
        pattern: 'a-b',
        choice: 'a',
        numbers: 3,
        inside: 2.5,
        names: ['a', 'b'],
        pairs: { a: 1 },
        logic: 'ab',
        shapes: { circle: 1 },
        colours: ['r', 'g'],
      },
    },
    changes: [
      {
        spec: {
          time: '2026-01-02',
          day: '2026-01-02T03:04:05Z',
          span: '1 hour',
          bytes: 'hi!',
          id: 'x',
          id3: '11111111-2222-3333-4444-555555555555',
        },
      },
      {
        spec: {
          v4: '2001:db8::1',
          v6: '192.0.2.1',
          net: '192.0.2.1',
          mac: '00',
          mail: 'a',
          host: '-',
          link: 'not a link',
        },
      },
      { spec: { rgb: 'rgb(300)', hex: 'aabbcg', isbn: '1', card: '1', object: 'x', secret: '' } },
      { spec: { small: 2_147_483_648, real: 'x', inside: 10, names: [], pairs: {} } },
      { spec: { logic: 'aaa', shapes: { square: 2 }, colours: ['r', 'r', 'x'] } },
      { spec: { logic: 'bz', shapes: { circle: null, both: true }, numbers: 2, choice: 'c' } },
      { spec: { span: '2s', names: ['long name', 'b', 'c', 'd'], pairs: { a: -1, b: 1, c: 2 }, pattern: 'A' } },
      { spec: { time: '2026-01-02t03:04:05z', v4: '10.0.0.0', hex: 'abc', inside: 5 } },
    ],
  }),
]
