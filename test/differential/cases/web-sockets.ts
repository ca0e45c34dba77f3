/** Watches over WebSocket: the handshake, the forms of messages, authorization, and how they end. */
import type { Step, Topic } from '../case.ts'
import { configMap, richThing } from '../objects.ts'
import { asAlice, define, get, prepared, resource, thing, things } from '../steps.ts'

const configMaps = resource('configmaps')
const protobuf = 'application/vnd.kubernetes.protobuf'

const handshake: Readonly<Record<string, string>> = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
  origin: 'https://localhost',
}

/** The step with the headers of a handshake; an undefined header is omitted. */
function upgraded(step: Step, headers: Readonly<Record<string, string | undefined>> = {}): Step {
  const all = Object.entries({ ...handshake, ...step.headers, ...headers })
  return {
    ...step,
    headers: Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  }
}

/** Creates and changes a, creates b, deletes a. */
const history: Step[] = [
  configMaps.create(configMap('a', { v: '1' })),
  configMaps.merge('a', { data: { v: 'zwei äöü' } }),
  configMaps.create(configMap('b', { long: 'x'.repeat(300) })),
  configMaps.delete('a'),
]
const past = configMaps.watch('resourceVersion={{0.metadata.resourceVersion}}', 3)
/** A watch without events that ends after a second. */
const short = configMaps.watch('timeoutSeconds=1')

const tokenProtocol = 'base64url.bearer.authorization.k8s.io.'
/** `admintoken`, encoded. */
const token = `${tokenProtocol}YWRtaW50b2tlbg`

export const webSockets: Topic = {
  name: 'web-sockets',
  cases: [
    {
      name: 'events as messages',
      steps: [
        ...history,
        upgraded(past),
        upgraded(configMaps.watch('', 1)),
        upgraded(short),
        upgraded(configMaps.watch('resourceVersion={{0.metadata.resourceVersion}}&timeoutSeconds=1')),
        upgraded(past, { accept: protobuf }),
        upgraded(past, { accept: `${protobuf};stream=watch` }),
        upgraded(past, { accept: 'application/json;stream=watch' }),
        upgraded(past, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
        upgraded(past, { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }),
        upgraded(past, { accept: `${protobuf};as=PartialObjectMetadata;v=v1;g=meta.k8s.io` }),
        upgraded(
          configMaps.watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true', 2),
        ),
        upgraded(get('/api/v1/watch/namespaces/{{ns}}/configmaps/b', { watch: { events: 1 } })),
      ],
    },
    {
      name: 'large messages',
      steps: [
        prepared(configMaps.create(configMap('a', { long: 'x'.repeat(70_000) }))),
        upgraded(configMaps.watch('', 1)),
        upgraded(configMaps.watch('', 1), { accept: protobuf }),
      ],
    },
    {
      name: 'custom resources',
      steps: [
        prepared(define(richThing())),
        prepared(things.create(thing('a', { spec: { size: 's' } }))),
        upgraded(things.watch('', 1)),
        upgraded(things.watch('', 1), { accept: `${protobuf},application/json` }),
        upgraded(things.watch('', 1), { accept: protobuf }),
      ],
    },
    {
      name: 'watches that are refused',
      steps: [
        asAlice(upgraded(short)),
        upgraded(short, { authorization: '' }),
        upgraded(short, { authorization: 'Bearer wrong' }),
        upgraded(configMaps.watch('labelSelector=%21%21')),
        upgraded(configMaps.watch('resourceVersion=x')),
        upgraded(configMaps.watch('timeoutSeconds=x')),
        upgraded(short, { accept: 'text/html' }),
        upgraded(get('/apis/none/v1/things?watch=1', { watch: { events: undefined } })),
        upgraded(resource('none').watch('')),
      ],
    },
    {
      name: 'handshakes',
      steps: [
        upgraded(short, { 'sec-websocket-key': undefined }),
        upgraded(short, { 'sec-websocket-key': 'short' }),
        upgraded(short, { 'sec-websocket-version': undefined }),
        upgraded(short, { 'sec-websocket-version': '8' }),
        upgraded(short, { 'sec-websocket-version': '13, 8' }),
        upgraded(short, { origin: undefined }),
        ...['null', 'example.com', '/path', '*', 'http://[::1', 'x:y', 'https://example.com:443'].map((origin) =>
          upgraded(short, { origin }),
        ),
        upgraded(short, { upgrade: 'WebSocket' }),
        upgraded(short, { connection: 'keep-alive, Upgrade' }),
        upgraded(short, { upgrade: 'h2c' }),
        upgraded(short, { upgrade: 'websocket, h2c' }),
        upgraded(short, { 'sec-websocket-extensions': 'permessage-deflate' }),
      ],
    },
    {
      name: 'subprotocols',
      steps: [
        ...[
          'base64.binary.k8s.io',
          'binary.k8s.io',
          'anything',
          'a, b',
          'a,',
          ',',
          '',
          'a\nb',
          `${token}, a`,
          token,
          `a, ${token}`,
          `${token}, a, b`,
          `${tokenProtocol}, a`,
        ].map((protocols) => upgraded(short, { 'sec-websocket-protocol': protocols })),
        ...[
          `${token}, a`,
          `a, ${token}`,
          `${token}\na`,
          `a\n${token}`,
          token,
          `${token},`,
          `${token}, a, b`,
          `${token}, ${token}, a`,
          `${token}=, a`,
          `${tokenProtocol}d3Jvbmc, a`,
          `${tokenProtocol}, a`,
          `${tokenProtocol}_w, a`,
          `${tokenProtocol}!, a`,
          'a',
        ].map((protocols) => upgraded(short, { authorization: '', 'sec-websocket-protocol': protocols })),
        upgraded(short, { authorization: 'Bearer wrong', 'sec-websocket-protocol': `${token}, a` }),
        upgraded(short, { authorization: 'Basic YTpi', 'sec-websocket-protocol': `${token}, a` }),
      ],
    },
    {
      name: 'requests that are no watches',
      steps: [
        prepared(configMaps.create(configMap('a'))),
        upgraded(configMaps.get('a')),
        upgraded(configMaps.get('absent')),
        upgraded(get('/version')),
        upgraded(get('/api')),
        upgraded(configMaps.create(configMap('b'))),
        upgraded(configMaps.delete('b')),
        upgraded(configMaps.get('a'), { upgrade: 'h2c' }),
        upgraded(configMaps.create(configMap('c')), { upgrade: 'h2c' }),
        upgraded(configMaps.get('a'), { authorization: '', 'sec-websocket-protocol': `${token}, a` }),
        upgraded(configMaps.get('a'), {
          connection: 'keep-alive',
          authorization: '',
          'sec-websocket-protocol': `${token}, a`,
        }),
      ],
    },
  ],
}
