/** A list in pieces has the text of the same list as a whole. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { encodeProtobuf } from '../../codec/protobuf/protobuf.ts'
import { writeYaml } from '../../codec/yaml-text.ts'
import { createControlPlane } from '../index.ts'
import type { ListResponse } from '../contract/request.ts'
import { ListEncoder, listValue, ProtobufListEncoder, type TextForm } from './list-encoder.ts'

const forever = { isOver: false }
const over = { isOver: true }
const path = '/api/v1/namespaces/default/configmaps'
const wide = { text: `${'word '.repeat(40)}\nitems: []\n- "quoted"`, 'a.b': 'é', number: '012' }

async function listOf(count: number, accept: string): Promise<ListResponse> {
  const plane = createControlPlane()
  const transport = plane.transport()
  for (let i = 0; i < count; i++)
    await transport({
      method: 'POST',
      path,
      body: { metadata: { name: `map-${i}`, labels: { i: `${i}` } }, data: wide },
    })
  const user = { name: 'admin', uid: '', groups: ['system:masters'] }
  const query = new URLSearchParams()
  const response = await plane.handle({ method: 'GET', path, query, headers: { accept }, user })
  await plane.close()
  return response as ListResponse
}

function inPieces(response: ListResponse, form: TextForm, turn = forever): string[] {
  const encoder = new ListEncoder(response, form)
  const pieces: string[] = []
  do pieces.push(encoder.take(600, turn))
  while (!encoder.isDone)
  return pieces
}

function whole(response: ListResponse, form: TextForm): string {
  const value = listValue(response)
  if (form === 'yaml') return writeYaml(value)
  return form === 'json' ? JSON.stringify(value) : `${JSON.stringify(value, null, 2)}\n`
}

const forms = [
  'application/json',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
]

describe('a list in pieces', () => {
  it.each(forms.flatMap((accept) => [0, 1, 20].map((count) => [accept, count] as const)))(
    'a list in pieces has the text of the whole: %s, %s items',
    async (accept, count) => {
      const response = await listOf(count, accept)
      for (const form of ['json', 'pretty', 'yaml'] as const) {
        const pieces = inPieces(response, form)
        expect(pieces.join('')).toBe(whole(response, form))
        if (count === 20) expect(pieces.length).toBeGreaterThan(4)
      }
    },
  )

  it('a list is encoded a few items at a time if the turn is over', async () => {
    const response = await listOf(40, 'application/json')
    const encoder = new ListEncoder(response, 'json')
    const pieces: string[] = []
    do pieces.push(encoder.take(1e9, over))
    while (!encoder.isDone)
    expect(pieces.length).toBe(3)
    expect(pieces.join('')).toBe(whole(response, 'json'))
  })

  it.each([0, 1, 40])('a list in protobuf is encoded a few items at a time: %s items', async (count) => {
    for (const accept of [
      'application/vnd.kubernetes.protobuf',
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    ]) {
      const response = await listOf(count, accept)
      const encoder = ProtobufListEncoder.of(response) as ProtobufListEncoder
      let turns = 1
      while (!encoder.encodeItems(over)) turns++
      expect(turns).toBe(Math.max(1, Math.ceil(count / 16)))
      const bytes = Buffer.concat(encoder.parts())
      expect(bytes.equals(encodeProtobuf(listValue(response) as JsonObject) as Uint8Array)).toBe(true)
    }
  })
})
