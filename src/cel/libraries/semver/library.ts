/** Kubernetes' semver library: `semver`, `isSemver`, `major`, `minor`, `patch`, comparisons. */
import {
  boolType,
  CelError,
  CelObject,
  type CelResult,
  type CelType,
  intType,
  type Library,
  objectType,
  stringType,
} from '../../library.ts'
import { declare, method, overload, traversal } from '../declare.ts'
import {
  compareSemanticVersions,
  parseLooseVersion,
  parseSemanticVersion,
  type SemanticVersion,
  SemanticVersionError,
} from './semantic-version.ts'

export const semverType = objectType('kubernetes.Semver') as CelType & { kind: 'object' }

export class SemverValue extends CelObject {
  readonly type = semverType
  readonly version: SemanticVersion

  constructor(version: SemanticVersion) {
    super()
    this.version = version
  }

  equals(other: CelObject): CelResult {
    return other instanceof SemverValue && compareSemanticVersions(this.version, other.version) === 0
  }
}

function toSemver(text: string, loose = false): SemverValue | CelError {
  try {
    return new SemverValue(loose ? parseLooseVersion(text) : parseSemanticVersion(text))
  } catch (error) {
    if (error instanceof SemanticVersionError) return new CelError(error.message)
    throw error
  }
}

const isSemver = (text: string, loose?: boolean): boolean => toSemver(text, loose) instanceof SemverValue
const compare = (a: SemverValue, b: SemverValue): number => compareSemanticVersions(a.version, b.version)
const pair = [semverType, semverType]

/** CEL's int is signed and has one bit less than the parsed number. */
const number = (name: 'major' | 'minor' | 'patch') =>
  declare(
    name,
    method(`semver_${name}`, [semverType], intType, ({ version }: SemverValue) => BigInt.asIntN(64, version[name])),
  )

export const semverLibrary: Library = {
  name: 'kubernetes.Semver',
  functions: [
    declare(
      'semver',
      overload('string_to_semver', [stringType], semverType, toSemver, traversal()),
      overload('string_bool_to_semver', [stringType, boolType], semverType, toSemver, traversal()),
    ),
    declare(
      'isSemver',
      overload('is_semver_string', [stringType], boolType, isSemver, traversal()),
      overload('is_semver_string_bool', [stringType, boolType], boolType, isSemver, traversal()),
    ),
    declare(
      'isGreaterThan',
      method('semver_is_greater_than', pair, boolType, (a: SemverValue, b: SemverValue) => compare(a, b) > 0),
    ),
    declare(
      'isLessThan',
      method('semver_is_less_than', pair, boolType, (a: SemverValue, b: SemverValue) => compare(a, b) < 0),
    ),
    declare(
      'compareTo',
      method('semver_compare_to', pair, intType, (a: SemverValue, b: SemverValue) => BigInt(compare(a, b))),
    ),
    number('major'),
    number('minor'),
    number('patch'),
  ],
}
