/** `jsonpatch.escapeKey`: a key as a part of a JSON pointer. */
import { type Library, stringType } from '../../library.ts'
import { declare, overload } from '../declare.ts'

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

export const jsonPatchLibrary: Library = {
  name: 'kubernetes.jsonpatch',
  functions: [
    declare('jsonpatch.escapeKey', overload('string_jsonpatch_escapeKey_string', [stringType], stringType, escapeKey)),
  ],
}
