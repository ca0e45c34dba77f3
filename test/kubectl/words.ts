/** A transcript as text, for comparison with that of another server. */
import type { Played } from './script.ts'

export function words(transcript: readonly Played[]): string {
  const comparable = transcript.filter(({ step }) => step.incomparable !== true)
  return comparable
    .map(({ step, command, code, out, err }) => {
      return `$ kubectl ${command}\n${step.prose === true ? withoutProse(out) : out}${err}(${code})\n`
    })
    .join('\n')
}

/** The output of `kubectl explain` without descriptions. */
function withoutProse(text: string): string {
  return text
    .split('\n')
    .filter((line) => /^[A-Z]+:|^ *enum: |^ *\S+ <.*>/.test(line))
    .join('\n')
}
