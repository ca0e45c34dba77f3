/** Parses the text of a body; that of a large write in several turns. Throws JsonSyntaxError. */
import { parseJson, parseJsonInSteps, type ParsedJson } from '../../codec/json-text.ts'
import { completed } from '../../codec/steps.ts'
import { parseYamlBody } from '../../codec/yaml-text.ts'
import type { RegistryCall } from './call.ts'

type Stages = Pick<RegistryCall, 'stages'>

/** `mayRound`: as for `parseJson`. */
export function parseJsonText({ stages }: Stages, text: string, mayRound = false): ParsedJson {
  return stages === undefined ? parseJson(text, mayRound) : stages.runInSteps(() => parseJsonInSteps(text, mayRound))
}

/** `mayRound`: as for `parseJson`, only for JSON. */
export function parseYamlText({ stages }: Stages, text: string, mayRound = false): ParsedJson {
  const parse = () => parseYamlBody(text, mayRound)
  return stages === undefined ? completed(parse()) : stages.runInSteps(parse)
}
