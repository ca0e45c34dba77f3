/** The cost of importing the client: it loads nothing that only some programs need. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { RestClient } from './rest-client.ts'
import type { Transport, TransportRequest } from './transport.ts'
import { realEnv } from '../env/real.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))

describe('loading', () => {
  // Known failure: client 24.
  it('YAML, compression and child processes are loaded when they are needed, not with the client', () => {
    const early = sources.flatMap((name) => {
      const text = readFileSync(`${folder}/${name}`, 'utf8')
      return [...text.matchAll(/^import [^']*from '(yaml|node:zlib|node:child_process)'/gm)].map(
        ([, module]) => `${name}: ${String(module)}`,
      )
    })
    expect(early).toEqual([])
    expect(sources.length).toBeGreaterThan(20)
  })

  // Known failure: client 38.
  it('the client needs a transport and no HTTP library: one method and a close', async () => {
    const seen: TransportRequest[] = []
    const own: Transport = {
      request: (request) => {
        seen.push(request)
        return Promise.resolve({ status: 200, headers: {}, body: { major: '1' } })
      },
      close: () => Promise.resolve(),
    }
    expect(await new RestClient({ env: realEnv(), transport: own }).raw('GET', '/version')).toEqual({ major: '1' })
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /version'])
    const rest = readFileSync(`${folder}/rest-client.ts`, 'utf8') + readFileSync(`${folder}/caller.ts`, 'utf8')
    expect(rest).not.toMatch(/from 'node:|http-transport/)
  })
})
