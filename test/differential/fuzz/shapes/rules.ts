/** Shapes with CEL rules, including transition rules. */
import type { JsonObject } from '../../../../src/api/json.ts'
import { either, flag, keyed, list, map, object, ruled, set, shape, text, whole, withStatus } from './shape.ts'
import type { Shape } from './shape.ts'

const short: JsonObject = { ...text, maxLength: 20 }
const few = { maxItems: 5 }

export const ruleShapes: readonly Shape[] = [
  shape({
    kind: 'Ruled',
    root: ruled({}, { rule: 'self.metadata.name.size() < 20', message: 'name too long' }),
    properties: {
      spec: ruled(
        object({
          min: whole,
          max: whole,
          size: { ...whole, default: 3 },
          name: ruled(short, { rule: "!self.startsWith('x')", message: 'no x', reason: 'FieldValueForbidden' }),
          kind: ruled(
            { ...short, enum: ['a', 'b', 'other'] },
            { rule: "self != 'b'", messageExpression: "'not ' + self", reason: 'FieldValueInvalid' },
          ),
          amount: ruled(
            { ...either, maxLength: 10 },
            { rule: "type(self) == int ? self > 0 : self.endsWith('%')", message: 'positive or percent' },
          ),
          quantity: ruled(short, { rule: "quantity(self).isLessThan(quantity('2Gi'))", message: 'less than 2Gi' }),
          link: ruled(short, 'isURL(self) || self.matches("^[a-z]*$")'),
          address: ruled(short, {
            rule: 'isIP(self) && ip(self).family() == 4',
            messageExpression: '"%s is no v4".format([self])',
          }),
          when: ruled({ ...text, format: 'date-time' }, "self < timestamp('2027-01-01T00:00:00Z')"),
          span: ruled({ ...text, format: 'duration' }, "self >= duration('1s')"),
          bytes: ruled({ ...text, format: 'byte', maxLength: 20 }, 'size(self) < 8'),
          items: ruled(
            list(
              ruled(object({ name: short, 'with-dash': whole, namespace: short }, { required: ['name'] }), {
                rule: '!has(self.with__dash__dash) || self.with__dash__dash > 0',
                fieldPath: "['with-dash']",
              }),
              few,
            ),
            'self.all(i, self.exists_one(j, j.name == i.name))',
            { rule: "self.all(i, i.name != '' && i.name.lowerAscii() == i.name)", message: 'names in small letters' },
          ),
          labels: ruled(map(short, { maxProperties: 5 }), {
            rule: "self.all(k, !k.startsWith('bad') && self[k] != '')",
            message: 'bad label',
          }),
          flags: ruled(object({ on: flag, off: flag }), '!(has(self.on) && has(self.off)) || self.on != self.off'),
        }),
        {
          rule: '!has(self.min) || !has(self.max) || self.min <= self.max',
          message: 'min above max',
          fieldPath: '.min',
          reason: 'FieldValueRequired',
        },
        {
          rule: 'self.size < 10',
          messageExpression: "'%d is too large, of %s'.format([self.size, has(self.name) ? self.name : 'nothing'])",
          fieldPath: '.size',
          reason: 'FieldValueDuplicate',
        },
        { rule: 'self.?labels.orValue({}).size() < 4' },
        // Both the rule and its message fail for some values: a division by zero.
        {
          rule: '!has(self.max) || 100 / self.max > 1',
          messageExpression: "'over %d'.format([1000 / (self.max - 50)])",
        },
      ),
      status: ruled(object({ phase: short, count: whole }), {
        rule: "!has(self.count) || self.phase == 'Ready'",
        message: 'count without phase',
      }),
    },
    full: {
      spec: {
        min: 1,
        max: 5,
        size: 2,
        name: 'n',
        kind: 'a',
        amount: '5%',
        quantity: '1Gi',
        link: 'https://example.com',
        address: '192.0.2.1',
        when: '2026-01-01T00:00:00Z',
        span: '5s',
        bytes: 'aGk=',
        items: [{ name: 'a', 'with-dash': 1, namespace: 'n' }, { name: 'b' }],
        labels: { a: '1', b: '2' },
        flags: { on: true, off: false },
      },
    },
    changes: [
      { spec: { min: 7, size: 12 } },
      { spec: { max: 0 } },
      { spec: { max: 50 } },
      { spec: { max: 60, min: 2 } },
      { spec: { max: 200 } },
      { spec: { name: 'xyz', kind: 'b' } },
      { spec: { kind: 'c', name: 7 } },
      { spec: { amount: 0, quantity: '3Gi' } },
      { spec: { amount: 'x', quantity: 'much', link: 'Not One' } },
      { spec: { address: '2001:db8::1', when: '2027-02-01T00:00:00Z', span: '5ms' } },
      { spec: { address: 'x', bytes: 'aGVsbG8gd29ybGQ=' } },
      { spec: { items: [{ name: 'a', 'with-dash': 0 }, { name: 'a' }] } },
      { spec: { labels: { bad: '', c: '1', d: '2', e: '' }, flags: { off: true } } },
      { spec: { items: [{}, { name: 'Capital' }, { name: 'fine' }] } },
      { spec: { size: 5, min: null, name: 'fine' } },
      { spec: { flags: { on: null }, labels: null, items: [] } },
    ],
    more: withStatus,
    status: { status: { phase: 'Ready', count: 1 } },
  }),
  shape({
    kind: 'Sealed',
    properties: {
      spec: ruled(
        object({
          fixed: ruled(short, { rule: 'self == oldSelf', message: 'fixed for ever' }),
          rising: ruled(whole, {
            rule: 'self >= oldSelf',
            messageExpression: "'was %d, is %d'.format([oldSelf, self])",
          }),
          first: ruled(short, {
            rule: "oldSelf.hasValue() || self == 'start'",
            optionalOldSelf: true,
            message: 'begins with start',
          }),
          either: ruled(short, {
            rule: "!oldSelf.hasValue() || oldSelf.value() != 'done' || self == 'done'",
            optionalOldSelf: true,
            reason: 'FieldValueForbidden',
          }),
          states: keyed(
            ['name'],
            {
              name: short,
              phase: ruled(short, { rule: "oldSelf != 'End' || self == 'End'", message: 'ended' }),
              n: ruled(whole, 'self != oldSelf + 1'),
            },
            few,
          ),
          tags: ruled(set(short, few), { rule: 'oldSelf.all(t, t in self)', message: 'tags stay' }),
          limits: map(ruled(whole, { rule: 'self <= oldSelf', fieldPath: '' }), { maxProperties: 5 }),
          steps: ruled(list(short, few), { rule: 'self.size() >= oldSelf.size()', message: 'steps grow' }),
          loose: short,
        }),
        { rule: 'has(self.fixed) || !has(oldSelf.fixed)', message: 'fixed must stay', fieldPath: '.fixed' },
        { rule: "!has(self.loose) || self.loose != 'bad'", message: 'loose is bad' },
      ),
      status: object({
        phase: ruled({ ...short, enum: ['New', 'Run', 'End'] }, { rule: "oldSelf != 'End' || self == 'End'" }),
        n: ruled(whole, 'self > oldSelf'),
      }),
    },
    full: {
      spec: {
        fixed: 'f',
        rising: 5,
        first: 'start',
        either: 'open',
        states: [
          { name: 'a', phase: 'Run', n: 1 },
          { name: 'b', phase: 'End' },
        ],
        tags: ['a', 'b'],
        limits: { cpu: 5, memory: 7 },
        steps: ['1', '2'],
        loose: 'l',
      },
    },
    changes: [
      { spec: { fixed: 'g' } },
      { spec: { fixed: null } },
      { spec: { rising: 4 } },
      { spec: { rising: 6 } },
      { spec: { first: 'other' } },
      { spec: { either: 'done' } },
      { spec: { either: 'again' } },
      {
        spec: {
          states: [
            { name: 'b', phase: 'Run' },
            { name: 'a', phase: 'End', n: 2 },
          ],
        },
      },
      {
        spec: {
          states: [
            { name: 'b', phase: 'End' },
            { name: 'c', n: 1 },
          ],
        },
      },
      { spec: { tags: ['b'], steps: ['1'] } },
      { spec: { tags: ['b', 'a', 'c'], steps: ['2', '1', '3'] } },
      { spec: { limits: { cpu: 6, memory: 1 } } },
      { spec: { limits: { disk: 1 } } },
      { spec: { loose: 'bad' } },
      { spec: { loose: 'better' } },
    ],
    more: withStatus,
    status: { status: { phase: 'Run', n: 3 } },
  }),
]
