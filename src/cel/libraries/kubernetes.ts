/** Every library that CRD validation rules can use, in the order in which Kubernetes adds them. */
import type { Library, Runtime } from '../library.ts'
import { authorizationLibrary } from './authorization/library.ts'
import { formatLibrary } from './format/library.ts'
import { extendedListsLibrary } from './lists/extended-lists.ts'
import { kubernetesListsLibrary } from './lists/kubernetes-lists.ts'
import { cidrLibrary } from './net/cidr-library.ts'
import { ipLibrary } from './net/ip-library.ts'
import { optionalLibrary } from './optional/library.ts'
import { quantityLibrary } from './quantity/library.ts'
import { regexLibrary } from './regex/library.ts'
import { semverLibrary } from './semver/library.ts'
import { setsLibrary } from './sets/library.ts'
import { standardLibrary } from './standard/library.ts'
import { operatorsLibrary } from './standard/operators.ts'
import { stringsLibrary } from './strings/library.ts'
import { urlLibrary } from './url/library.ts'

export function kubernetesLibraries(runtime: Runtime): readonly Library[] {
  return [
    operatorsLibrary(runtime),
    standardLibrary,
    urlLibrary,
    regexLibrary,
    kubernetesListsLibrary(runtime),
    authorizationLibrary,
    optionalLibrary,
    quantityLibrary,
    stringsLibrary,
    setsLibrary(runtime),
    ipLibrary,
    cidrLibrary,
    formatLibrary,
    semverLibrary,
    extendedListsLibrary(runtime),
  ]
}
