import { describe, expect, it } from 'vitest'
import { parseOptions } from './options.ts'

const parsed = (...args: string[]) => parseOptions(['--baseline', 'abc', ...args])

describe('options of a comparison', () => {
  it('without a part, all parts and measurements are chosen', () => {
    const options = parsed()
    expect(options?.parts).toEqual(['server', 'runtime', 'cluster', 'webapp'])
    expect(options?.wanted('rest')).toBe(true)
  })

  it('--only alone chooses the parts that have these measurements', () => {
    const options = parsed('--only', 'get,pods')
    expect(options?.parts).toEqual(['server', 'cluster'])
    expect(options?.wanted('get')).toBe(true)
    expect(options?.wanted('list')).toBe(false)
  })

  it('--part and --only combine; a measurement of another part is refused', () => {
    expect(parsed('--part', 'server,runtime', '--only', 'get,queue')?.parts).toEqual(['server', 'runtime'])
    expect(() => parsed('--part', 'server', '--only', 'pods')).toThrow('no measurement of these parts is called pods')
  })

  it.each([
    [['--part', 'kubelet'], '--part must be one of server, runtime, cluster, webapp, not kubelet'],
    [['--rounds', '0'], '--rounds must be a number above 0, not 0'],
    [['--server', 'x'], '--server must be one of auto, real, ours, not x'],
    [['--only', 'nothing'], 'no measurement of these parts is called nothing'],
  ])('%j is refused', (args, message) => {
    expect(() => parsed(...args)).toThrow(message)
  })

  it('--help asks for nothing else', () => {
    expect(parseOptions(['--baseline', 'abc', '--help'])).toBeUndefined()
  })
})
