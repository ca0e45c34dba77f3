/**
 * Reads the settings of a program: flags take precedence over environment variables, these over the file, and that over
 * the defaults.
 */
import { nearest } from './nearest-name.ts'
import { settingEntries, settings, variablesOf, type Setting, type SettingName, type SettingType } from './settings.ts'

type ValueOf<Type extends SettingType> = {
  text: string
  list: readonly string[]
  flag: boolean
  number: number
  count: number
  duration: number
}[Type]

/** Durations are milliseconds. */
export type Configuration = { readonly [Name in SettingName]: ValueOf<(typeof settings)[Name]['type']> }

/** An invalid setting. Says where it was set. */
export class ConfigurationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConfigurationError'
  }
}

export interface ConfigurationSources {
  /** `--name value`, `--name=value`, `--flag`. A list may be repeated; otherwise the last value counts. */
  readonly args?: readonly string[] | undefined
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined
  /** The parsed file of `--config`, and its name. */
  readonly file?: { readonly name: string; readonly content: unknown } | undefined
  /** Defaults of the program, which take precedence over those of the table; written as on the command line. */
  readonly defaults?: Readonly<Partial<Record<SettingName, string>>> | undefined
}

/** Throws a {@link ConfigurationError} for the first invalid setting. */
export function readConfiguration(sources: ConfigurationSources): Configuration {
  const flags = readFlags(sources.args ?? [])
  const entries =
    sources.file === undefined ? new Map<string, string>() : fileEntries(sources.file.name, sources.file.content)
  const values = settingEntries.map(([name, setting]) => {
    const { text, where } = stated(name, setting, flags, entries, sources)
    return [name, parse(setting, text, where)]
  })
  return Object.fromEntries(values) as Configuration
}

/**
 * Variables that look like settings and are not, each with the probable setting. They are no error: other programs may
 * use them.
 */
export function unknownVariables(variables: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = settingEntries.flatMap(([name]) => variablesOf(name))
  return Object.keys(variables)
    .filter((name) => name.startsWith('COXSWAIN_') && !known.includes(name))
    .map((name) => `${name} is not known${meant(nearest(name, known))}`)
}

function stated(
  name: SettingName,
  setting: Setting,
  flags: ReadonlyMap<string, string>,
  entries: ReadonlyMap<string, string>,
  { variables = {}, file, defaults = {} }: ConfigurationSources,
): { readonly text: string; readonly where: string } {
  const flag = flags.get(name)
  if (flag !== undefined) return { text: flag, where: `--${name}` }
  for (const variable of variablesOf(name)) {
    const value = variables[variable]
    if (value !== undefined && value !== '') return { text: value, where: variable }
  }
  const entry = entries.get(name)
  if (entry !== undefined) return { text: entry, where: `${name} in ${file?.name ?? ''}` }
  return { text: defaults[name] ?? setting.default, where: `the default of ${name}` }
}

function settingOf(name: string): Setting | undefined {
  return Object.hasOwn(settings, name) ? settings[name as SettingName] : undefined
}

function readFlags(args: readonly string[]): ReadonlyMap<string, string> {
  const flags = new Map<string, string>()
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string
    const match = /^--([^=]+)(?:=(.*))?$/s.exec(arg)
    if (match === null)
      throw new ConfigurationError(`"${arg}" is not understood: settings are written --name value; --help lists them`)
    const name = match[1] as string
    const setting = settingOf(name)
    if (setting === undefined)
      throw new ConfigurationError(
        `--${name} is not known${meant(nearest(name, Object.keys(settings)), '--')}; --help lists the settings`,
      )
    let value = match[2]
    if (value === undefined && setting.type === 'flag') value = 'true'
    if (value === undefined && i + 1 < args.length) value = args[++i] as string
    if (value === undefined) throw new ConfigurationError(`--${name} needs a value`)
    const before = flags.get(name)
    flags.set(name, setting.type === 'list' && before !== undefined ? `${before},${value}` : value)
  }
  return flags
}

function fileEntries(name: string, content: unknown): ReadonlyMap<string, string> {
  if (content === null || content === undefined) return new Map()
  if (typeof content !== 'object' || Array.isArray(content))
    throw new ConfigurationError(`${name} must hold a map of settings`)
  return new Map(
    Object.entries(content).map(([key, value]: [string, unknown]) => {
      if (settingOf(key) === undefined || key === 'config')
        throw new ConfigurationError(`${key} in ${name} is not known${meant(nearest(key, Object.keys(settings)))}`)
      const values = Array.isArray(value) ? value : [value]
      if (values.some((each) => typeof each === 'object'))
        throw new ConfigurationError(`${key} in ${name} must be a single value, or a list of them`)
      return [key, values.join(',')]
    }),
  )
}

function parse({ type, choices }: Setting, text: string, where: string): string | boolean | number | readonly string[] {
  if (choices !== undefined && !choices.includes(text))
    throw new ConfigurationError(
      `${where} is "${text}": write one of ${choices.join(', ')}${meant(nearest(text, choices))}`,
    )
  switch (type) {
    case 'text':
      return text
    case 'list':
      return text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
    case 'flag':
      return parseFlag(text, where)
    case 'number':
      return parseNumber(text, where)
    case 'count':
      return parseCount(text, where)
    case 'duration':
      return parseDuration(text, where)
  }
}

function parseFlag(text: string, where: string): boolean {
  if (['true', '1', 'yes', 'on'].includes(text.toLowerCase())) return true
  if (['false', '0', 'no', 'off', ''].includes(text.toLowerCase())) return false
  throw new ConfigurationError(`${where} is "${text}": write true or false`)
}

function parseNumber(text: string, where: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new ConfigurationError(`${where} is "${text}": write a number of at least 0`)
  return Number(text)
}

function parseCount(text: string, where: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new ConfigurationError(`${where} is "${text}": write a whole number of at least 0`)
  return Number(text)
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Milliseconds of `1m30s`, `500ms`, `10h`, or a bare 0. */
export function parseDuration(text: string, where: string): number {
  const isWhole = /^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)
  if (!isWhole && text !== '0')
    throw new ConfigurationError(`${where} is "${text}": write a duration as 500ms, 30s, 2m or 1h30m`)
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (units[unit as string] as number),
    0,
  )
}

function meant(name: string | undefined, prefix = ''): string {
  return name === undefined ? '' : `; did you mean ${prefix}${name}?`
}
