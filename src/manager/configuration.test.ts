import { describe, expect, it } from 'vitest'
import { ConfigurationError, parseDuration, readConfiguration, unknownVariables } from './configuration.ts'
import { settings } from './settings.ts'

describe('the configuration', () => {
  it('the configuration has a default for everything', () => {
    expect(readConfiguration({})).toMatchObject({
      'metrics-bind-address': ':8443',
      'metrics-secure': true,
      'health-probe-bind-address': ':8081',
      'profiling-address': '0',
      'leader-elect': false,
      'leader-elect-lease-duration': 15_000,
      'leader-elect-renew-deadline': 10_000,
      'leader-elect-retry-period': 2_000,
      'graceful-shutdown-timeout': 30_000,
      'cache-sync-timeout': 120_000,
      'resync-period': 36_000_000,
      'list-page-size': 500,
      'enable-incremental-sync': true,
      namespaces: [],
      'log-level': 'info',
    })
  })

  it("flags take precedence over variables, these over the file, that over the program's defaults", () => {
    const file = { name: 'settings.yaml', content: { concurrency: 3, qps: 3, burst: 3, 'log-level': 'warn' } }
    const variables = { COXSWAIN_CONCURRENCY: '2', COXSWAIN_QPS: '2' }
    const read = readConfiguration({
      args: ['--concurrency', '1'],
      variables,
      file,
      defaults: { concurrency: '4', 'list-page-size': '4' },
    })
    expect(read).toMatchObject({ concurrency: 1, qps: 2, burst: 3, 'list-page-size': 4, 'log-level': 'warn' })
  })

  it('the configuration knows the variables that operators commonly have', () => {
    const variables = {
      INFORMER_CACHE_SIZE: '10000',
      LIST_TIMEOUT: '60s',
      ENABLE_INCREMENTAL_SYNC: 'false',
      WATCH_NAMESPACE: 'a, b',
      LOG_LEVEL: 'debug',
      MAX_CONCURRENT_RECONCILES: '5',
    }
    expect(readConfiguration({ variables })).toMatchObject({
      'informer-cache-size': 10_000,
      'list-timeout': 60_000,
      'enable-incremental-sync': false,
      namespaces: ['a', 'b'],
      'log-level': 'debug',
      concurrency: 5,
    })
    expect(
      readConfiguration({ variables: { ...variables, COXSWAIN_LOG_LEVEL: 'warn', WATCH_NAMESPACE: '' } }),
    ).toMatchObject({ 'log-level': 'warn', namespaces: [] })
  })

  it('the configuration joins lists, and takes the last of anything else', () => {
    expect(
      readConfiguration({ args: ['--namespaces', 'a', '--namespaces=b,c', '--qps=1', '--qps=2.5', '--leader-elect'] }),
    ).toMatchObject({ namespaces: ['a', 'b', 'c'], qps: 2.5, 'leader-elect': true })
    expect(
      readConfiguration({ file: { name: 'f', content: { namespaces: ['a', 'b'], 'leader-elect': true } } }),
    ).toMatchObject({ namespaces: ['a', 'b'], 'leader-elect': true })
    expect(
      readConfiguration({ args: ['--leader-elect=false'], variables: { COXSWAIN_LEADER_ELECT: 'true' } })[
        'leader-elect'
      ],
    ).toBe(false)
    expect(readConfiguration({ file: { name: 'f', content: null } })['qps']).toBe(0)
  })

  it.each<[readonly string[], string]>([
    [['--leader-elct'], '--leader-elct is not known; did you mean --leader-elect?'],
    [['--metrics_bind_address=x'], 'did you mean --metrics-bind-address?'],
    [['--cache-sync'], 'did you mean --cache-sync-timeout?'],
    [['--zzz'], '--zzz is not known; --help lists the settings'],
    [['--constructor'], '--constructor is not known'],
    [['--__proto__=1'], '--__proto__ is not known'],
    [['-v'], '"-v" is not understood'],
    [['--qps'], '--qps needs a value'],
    [['--qps=-1'], '--qps is "-1": write a number of at least 0'],
    [['--qps=1e999'], '--qps is "1e999"'],
    [['--concurrency=1.5'], '--concurrency is "1.5": write a whole number'],
    [['--leader-elect=maybe'], '--leader-elect is "maybe": write true or false'],
    [['--list-timeout=60'], '--list-timeout is "60": write a duration as 500ms, 30s, 2m or 1h30m'],
    [['--log-level=wrn'], 'write one of debug, info, warn, error; did you mean warn?'],
  ])('the configuration says what is wrong with %j', (args, message) => {
    expect(() => readConfiguration({ args })).toThrow(ConfigurationError)
    expect(() => readConfiguration({ args })).toThrow(message)
  })

  it('the configuration says where a wrong value was given', () => {
    expect(() => readConfiguration({ variables: { LIST_TIMEOUT: 'soon' } })).toThrow('LIST_TIMEOUT is "soon"')
    const file = (content: unknown) => () => readConfiguration({ file: { name: 'settings.yaml', content } })
    expect(file({ 'list-timeout': 'soon' })).toThrow('list-timeout in settings.yaml is "soon"')
    expect(file({ 'list-timeot': '1s' })).toThrow(
      'list-timeot in settings.yaml is not known; did you mean list-timeout?',
    )
    expect(file({ qps: { per: 'second' } })).toThrow('qps in settings.yaml must be a single value')
    expect(file({ qps: null })).toThrow('qps in settings.yaml must be a single value')
    expect(file(['qps'])).toThrow('settings.yaml must hold a map of settings')
    expect(file({ config: 'other.yaml' })).toThrow('config in settings.yaml is not known')
    expect(file(JSON.parse('{"__proto__": 1}'))).toThrow('__proto__ in settings.yaml is not known')
  })

  it('the configuration reports variables that were probably meant for it', () => {
    expect(unknownVariables({ COXSWAIN_LEADER_ELECTS: '1', COXSWAIN_QPS: '1', HOME: '/' })).toEqual([
      'COXSWAIN_LEADER_ELECTS is not known; did you mean COXSWAIN_LEADER_ELECT?',
    ])
  })

  it.each([
    ['0', 0],
    ['500ms', 500],
    ['1.5s', 1_500],
    ['1h30m', 5_400_000],
    ['2m', 120_000],
  ])('the configuration reads %s as a duration', (text, ms) => {
    expect(parseDuration(text, 'x')).toBe(ms)
  })

  it('the configuration has no two settings with one variable, and defaults that it can read', () => {
    expect(Object.keys(readConfiguration({}))).toEqual(Object.keys(settings))
  })
})
