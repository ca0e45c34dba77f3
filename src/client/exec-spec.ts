/** The `exec` section of a kubeconfig's user. */
import { readFileSync } from 'node:fs'
import { isObject, type JsonObject } from '../api/json.ts'
import type { ExecSpec } from './exec-plugin.ts'
import {
  besides,
  flagField,
  KubeconfigError,
  mapField,
  textField,
  textsField,
  type KubeconfigEntry,
} from './kubeconfig-file.ts'

const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const
const modes = ['Never', 'IfAvailable', 'Always'] as const

/** Throws a {@link KubeconfigError}. */
export function readExecSpec(
  user: KubeconfigEntry,
  exec: JsonObject,
  cluster: KubeconfigEntry,
): { spec: ExecSpec; clusterKey: string } {
  const at = `${user.at}.exec`
  const text = (name: string): string | undefined => textField(exec, name, user.file, at) || undefined
  const error = (field: string, why: string): KubeconfigError =>
    new KubeconfigError(`${user.file}: ${at}.${field} ${why}`)
  const command = text('command')
  if (command === undefined) throw error('command', 'is missing: name the program that gives the credentials')
  const apiVersion = versions.find((version) => version === text('apiVersion'))
  if (apiVersion === undefined)
    throw error('apiVersion', `must be ${versions.join(' or ')}, not ${JSON.stringify(text('apiVersion') ?? '')}`)
  const stated = text('interactiveMode') ?? (apiVersion.endsWith('v1') ? undefined : 'IfAvailable')
  const interactiveMode = modes.find((mode) => mode === stated)
  if (interactiveMode === undefined)
    throw error('interactiveMode', `must be ${modes.join(', ')}, not ${JSON.stringify(stated ?? '')}`)
  const info = clusterInfo(cluster)
  const spec: ExecSpec = {
    apiVersion,
    interactiveMode,
    command: command.includes('/') ? besides(user.file, command) : command,
    args: textsField(exec, 'args', user.file, at) ?? [],
    env: variables(exec, user.file, at),
    installHint: text('installHint'),
    cluster: flagField(exec, 'provideClusterInfo', user.file, at) ? info : undefined,
  }
  return { spec, clusterKey: JSON.stringify(info) }
}

function variables(exec: JsonObject, file: string, at: string): { name: string; value: string }[] {
  const list = exec['env'] ?? []
  if (!Array.isArray(list)) throw new KubeconfigError(`${file}: ${at}.env must be a list of maps with name and value`)
  return list.map((item, i) => {
    const where = `${at}.env[${i}]`
    const fields = isObject(item) ? item : {}
    const name = textField(fields, 'name', file, where)
    if (name === undefined || name === '') throw new KubeconfigError(`${file}: ${where} has no name`)
    return { name, value: textField(fields, 'value', file, where) ?? '' }
  })
}

/** The cluster information for the program, in the format of its API. A CA file is passed as data. */
function clusterInfo({ fields, file, at }: KubeconfigEntry): JsonObject {
  const info: JsonObject = {}
  const authority = textField(fields, 'certificate-authority', file, at) || undefined
  if (authority !== undefined) info['certificate-authority-data'] = readAuthority(authority, file, at)
  for (const name of [
    'server',
    'tls-server-name',
    'insecure-skip-tls-verify',
    'certificate-authority-data',
    'proxy-url',
    'disable-compression',
  ]) {
    const value = fields[name] ?? undefined
    if (value !== undefined && value !== false && value !== '') info[name] = value
  }
  const extensions = fields['extensions'] ?? []
  const own = Array.isArray(extensions)
    ? extensions.filter(isObject).find(({ name }) => name === 'client.authentication.k8s.io/exec')
    : undefined
  const config = own === undefined ? undefined : mapField(own, 'extension', file, `${at}.extensions`)
  return config === undefined ? info : { ...info, config }
}

function readAuthority(path: string, file: string, at: string): string {
  try {
    return readFileSync(besides(file, path)).toString('base64')
  } catch (error) {
    throw new KubeconfigError(`${file}: ${at}.certificate-authority cannot be read: ${(error as Error).message}`, error)
  }
}
