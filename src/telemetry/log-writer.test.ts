import { describe, expect, it } from 'vitest'
import { simulatedEnv } from '../env/simulated.ts'
import { createLogger } from './log-writer.ts'
import type { LogLevel } from './logger.ts'

function recorded(options: { format?: 'json' | 'text'; level?: LogLevel } = {}) {
  const lines: string[] = []
  return { lines, log: createLogger({ env: simulatedEnv(), write: (line) => lines.push(line), ...options }) }
}

describe('logs', () => {
  it('log lines are lines of JSON with the fields of the logger and of the call', () => {
    const { log, lines } = recorded()
    log.with({ controller: 'webapp' }).with({ name: 'hello' }).info('reconciled', { ms: 3 })
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { ts: '2026-01-01T00:00:00.000Z', level: 'info', msg: 'reconciled', controller: 'webapp', name: 'hello', ms: 3 },
    ])
  })

  it('log lines are written by functions that were taken out of the logger, too', () => {
    const { log, lines } = recorded({ format: 'text' })
    const { warn, with: and } = log
    const { info } = and({ a: 1 })
    warn('one')
    info('two')
    expect(lines).toEqual(['2026-01-01T00:00:00Z WARN  one', '2026-01-01T00:00:00Z INFO  two a=1'])
  })

  it('log lines are short text for people', () => {
    const { log, lines } = recorded({ format: 'text' })
    log.warn('slow watch', { kind: 'pods', why: 'no event' })
    expect(lines).toEqual(['2026-01-01T00:00:00Z WARN  slow watch kind=pods why="no event"'])
  })

  it('log lines name the object of a reconcile once, for people', () => {
    const { log, lines } = recorded({ format: 'text' })
    log.info('a', { App: { namespace: 'default', name: 'web' }, namespace: 'default', name: 'web', attempt: 1 })
    log.info('b', { Node: { name: 'one' }, name: 'one' })
    log.info('c', { App: { namespace: 'other', name: 'web' }, namespace: 'default', name: 'web' })
    expect(lines.map((line) => line.slice('2026-01-01T00:00:00Z INFO  '.length))).toEqual([
      'a App=default/web attempt=1',
      'b Node=one',
      'c App={"namespace":"other","name":"web"} namespace=default name=web',
    ])
  })

  it.each(['json', 'text'] as const)('log lines have no control characters, wherever they come from: %s', (format) => {
    const attacks = [
      'a\nlevel=error msg=forged',
      '\u001B[2J\u001B]0;x\u0007',
      '\r',
      '\u009B31m',
      '\u0000',
      'a\u2028b',
      '\u202Ex',
    ]
    const { log, lines } = recorded({ format })
    for (const attack of attacks) {
      log.info(attack)
      log.info('x', { [attack]: 1 })
      log.info('x', { name: attack, nested: { [attack]: [attack] }, error: new Error(attack) })
    }
    // All other lines of text are indented: they are no lines of the log.
    expect(lines.filter((line) => /^\S/.test(line))).toHaveLength(3 * attacks.length)
    // oxlint-disable-next-line no-control-regex
    for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202E]/)
    if (format === 'json')
      for (const [i, line] of lines.entries()) if (i % 3 === 0) expect(JSON.parse(line).msg).toBe(attacks[i / 3])
  })

  it('log lines follow a level that changes while they run', () => {
    const { log, lines } = recorded()
    const child = log.with({})
    child.debug('a')
    log.level = 'debug'
    child.debug('b')
    log.level = 'error'
    child.warn('c')
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['b'])
    expect(() => {
      log.level = 'loud' as LogLevel
    }).toThrow('use one of debug, info, warn, error')
    expect(log.level).toBe('error')
  })

  it('log lines hold no secrets', () => {
    const { log, lines } = recorded()
    log.info('saw', {
      object: { kind: 'Secret', data: { password: 'aGk=' }, stringData: { a: 'b' } },
      token: 'abc',
      map: { kind: 'ConfigMap', data: { a: 'shown' } },
    })
    expect(lines.join('')).not.toMatch(/aGk=|"b"|abc/)
    expect(lines.join('')).toContain('shown')
  })

  it('log lines take whatever they are given: errors and their causes, cycles, depths, odd values', () => {
    const { log, lines } = recorded()
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    log.error('odd', {
      error: new TypeError('x', { cause: new Error('y') }),
      cycle,
      big: 12n,
      f: () => 1,
      none: undefined,
      date: new Date(Number.NaN),
    })
    const line = JSON.parse(lines[0] as string) as {
      error: { message: string; cause: { message: string } }
      big: string
    }
    expect([line.error.message, line.error.cause.message, line.big]).toEqual(['x', 'y', '12'])
  })
})
