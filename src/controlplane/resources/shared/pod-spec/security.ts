/** Validation of the security contexts of pods and containers. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import type { Json, JsonObject } from '../../../../api/json.ts'
import { checkSupported, invalidStruct, reject } from '../errors.ts'
import { unixId } from '../formats.ts'
import { internalJson } from '../internal-json.ts'
import { checkDescendingPath } from '../paths.ts'
import { items, strings, struct, text } from '../values.ts'
import type { EmptyFields } from '../../../../shape/empty-fields.ts'
import type { PodContext } from './containers.ts'

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined']

function checkId(errors: FieldError[], field: string, id: Json | undefined): void {
  if (typeof id === 'number') reject(errors, field, id, unixId(id))
}

/** `hostUsers` false: the pod has its own user namespace. */
export function checkSecurityContext(
  errors: FieldError[],
  field: string,
  context: JsonObject | undefined,
  { hostUsers, empty }: Pick<PodContext, 'hostUsers' | 'empty'>,
): void {
  if (context === undefined) return
  checkId(errors, `${field}.runAsUser`, context.runAsUser)
  checkId(errors, `${field}.runAsGroup`, context.runAsGroup)
  const procMount = context.procMount
  if (procMount !== undefined) {
    checkSupported(errors, `${field}.procMount`, text(procMount), ['Default', 'Unmasked'])
    if (hostUsers && procMount === 'Unmasked') {
      errors.push(fieldError.invalid(`${field}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`'))
    }
  }
  checkSeccomp(errors, `${field}.seccompProfile`, struct(context.seccompProfile))
  if (context.allowPrivilegeEscalation === false) checkNoEscalation(errors, field, context, empty)
  checkAppArmor(errors, `${field}.appArmorProfile`, struct(context.appArmorProfile))
}

function checkNoEscalation(
  errors: FieldError[],
  field: string,
  context: JsonObject,
  empty: EmptyFields | undefined,
): void {
  const shown = () => internalJson('SecurityContext', context, empty)
  if (context.privileged === true) {
    const message = 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'
    errors.push(invalidStruct(field, shown(), message))
  }
  if (strings(struct(context.capabilities)?.add).includes('CAP_SYS_ADMIN')) {
    const message = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'
    errors.push(invalidStruct(field, shown(), message))
  }
}

function checkSeccomp(errors: FieldError[], field: string, profile: JsonObject | undefined): void {
  if (profile === undefined) return
  const type = text(profile.type)
  if (type === '') {
    errors.push(fieldError.required(`${field}.type`, 'type is required when seccompProfile is set'))
  } else checkSupported(errors, `${field}.type`, type, profileTypes)
  const local = profile.localhostProfile
  if (type !== 'Localhost') {
    if (local === undefined) return
    const message = 'can only be set when seccomp type is Localhost'
    errors.push(invalidStruct(`${field}.localhostProfile`, internalJson('SeccompProfile', profile), message))
  } else if (local === undefined) {
    errors.push(fieldError.required(`${field}.localhostProfile`, 'must be set when seccomp type is Localhost'))
  } else {
    checkDescendingPath(errors, `${field}.localhostProfile`, text(local))
  }
}

function checkAppArmor(errors: FieldError[], field: string, profile: JsonObject | undefined): void {
  if (profile === undefined) return
  const type = text(profile.type)
  const local = profile.localhostProfile
  if (type === '') {
    errors.push(fieldError.required(`${field}.type`, 'type is required when appArmorProfile is set'))
  } else if (type === 'Localhost') {
    const name = text(local)
    if (local === undefined || name === '') {
      errors.push(fieldError.required(`${field}.localhostProfile`, 'must be set when AppArmor type is Localhost'))
    } else if (name.trim() !== name) {
      errors.push(fieldError.invalid(`${field}.localhostProfile`, name, 'must not be padded with whitespace'))
    }
    if (name.length > 4095) errors.push(fieldError.tooLong(`${field}.localhostProfile`, 4095))
  } else if (!profileTypes.includes(type)) {
    errors.push(fieldError.notSupported(`${field}.type`, type, profileTypes))
  } else if (local !== undefined) {
    const message = 'can only be set when AppArmor type is Localhost'
    errors.push(fieldError.invalid(`${field}.localhostProfile`, local, message))
  }
}

const sysctlSegment = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const sysctlPattern = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`
const sysctlName = new RegExp(sysctlPattern)

export function checkPodSecurityContext(errors: FieldError[], field: string, spec: JsonObject): void {
  const context = struct(spec.securityContext)
  if (context === undefined) return
  checkId(errors, `${field}.fsGroup`, context.fsGroup)
  checkId(errors, `${field}.runAsUser`, context.runAsUser)
  checkId(errors, `${field}.runAsGroup`, context.runAsGroup)
  if (Array.isArray(context.supplementalGroups)) {
    for (const [i, id] of context.supplementalGroups.entries()) {
      checkId(errors, `${field}.supplementalGroups[${i}]`, id)
    }
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const message = 'ShareProcessNamespace and HostPID cannot both be enabled'
    errors.push(fieldError.invalid(`${field}.shareProcessNamespace`, true, message))
  }
  checkSysctls(errors, `${field}.sysctls`, items(context.sysctls), spec)
  if (context.fsGroupChangePolicy !== undefined) {
    const policies = ['Always', 'OnRootMismatch']
    checkSupported(errors, `${field}.fsGroupChangePolicy`, text(context.fsGroupChangePolicy), policies)
  }
  checkSeccomp(errors, `${field}.seccompProfile`, struct(context.seccompProfile))
  checkAppArmor(errors, `${field}.appArmorProfile`, struct(context.appArmorProfile))
  if (context.supplementalGroupsPolicy !== undefined) {
    const policy = text(context.supplementalGroupsPolicy)
    checkSupported(errors, `${field}.supplementalGroupsPolicy`, policy, ['Merge', 'Strict'])
  }
  if (context.seLinuxChangePolicy !== undefined) {
    const policy = text(context.seLinuxChangePolicy)
    checkSupported(errors, `${field}.seLinuxChangePolicy`, policy, ['MountOption', 'Recursive'])
  }
}

function checkSysctls(errors: FieldError[], field: string, sysctls: readonly JsonObject[], spec: JsonObject): void {
  const seen = new Set<string>()
  for (const [i, sysctl] of sysctls.entries()) {
    const at = `${field}[${i}].name`
    const name = text(sysctl.name)
    if (name === '') {
      errors.push(fieldError.required(at))
    } else if (name.length > 253 || !sysctlName.test(name)) {
      const message = `must have at most 253 characters and match regex ${sysctlPattern}`
      errors.push(fieldError.invalid(at, name, message))
    } else if (seen.has(name)) {
      errors.push(fieldError.duplicate(at, name))
    }
    seen.add(name)
    const plain = name.replaceAll('/', '.')
    if (spec.hostNetwork === true && plain.startsWith('net.')) {
      errors.push(fieldError.invalid(at, name, "may not be specified when 'hostNetwork' is true"))
    } else if (spec.hostIPC === true && isIpcSysctl(plain)) {
      errors.push(fieldError.invalid(at, name, "may not be specified when 'hostIPC' is true"))
    }
  }
}

function isIpcSysctl(name: string): boolean {
  return name === 'kernel.sem' || ['kernel.shm', 'kernel.msg', 'fs.mqueue.'].some((prefix) => name.startsWith(prefix))
}

/** Fields that a pod with its own user namespace may not set. */
export function checkHostUsers(errors: FieldError[], field: string, spec: JsonObject): void {
  if (spec.hostUsers !== false) return
  const message = 'when `hostUsers` is false'
  if (spec.hostNetwork === true) errors.push(fieldError.forbidden(`${field}.hostNetwork`, message))
  if (spec.hostPID === true) errors.push(fieldError.forbidden(`${field}.HostPID`, message))
  if (spec.hostIPC === true) errors.push(fieldError.forbidden(`${field}.HostIPC`, message))
}
