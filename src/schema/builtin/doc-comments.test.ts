/** The types that operators write most often describe each of their fields. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { builtinDocs, docComment } from '../../../tools/facts/builtin-docs.ts'

interface Field {
  readonly name: string
  readonly comment: string | undefined
}

/** The fields of an interface or a type in a source text, with the comment right above each. */
function fieldsOf(source: string, type: string): Field[] {
  const [, body] = new RegExp(`^export (?:interface|type) ${type}\\b[^{\n]*\\{\n([\\s\\S]*?)^\\}`, 'm').exec(source) ?? []
  if (body === undefined) throw new Error(`no type ${type}`)
  return [...body.matchAll(/(?: {2}\/\*\*([\s\S]*?)\*\/\n)? {2}'?([\w-]+)'?\??: .+\n/g)].map(([, comment, name = '']) => ({
    name,
    comment: comment?.replaceAll(/\s*\n {3}\*\s*/g, ' ').trim(),
  }))
}

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')

const described: readonly (readonly [file: string, type: string, fields: number])[] = [
  ['../../api/object.ts', 'ObjectMeta', 14],
  ['../../api/live-object.ts', 'ApiObject', 3],
  ['core-v1.ts', 'Pod', 2],
  ['core-v1.ts', 'PodSpec', 42],
  ['core-v1.ts', 'Container', 25],
  ['core-v1.ts', 'ContainerPort', 5],
  ['core-v1.ts', 'EnvVar', 3],
  ['core-v1.ts', 'VolumeMount', 7],
  ['core-v1.ts', 'Probe', 10],
  ['core-v1.ts', 'ResourceRequirements', 3],
  ['core-v1.ts', 'Service', 2],
  ['core-v1.ts', 'ServiceSpec', 20],
  ['core-v1.ts', 'ServiceStatus', 2],
  ['core-v1.ts', 'ServicePort', 6],
  ['core-v1.ts', 'ConfigMap', 3],
  ['core-v1.ts', 'Secret', 4],
  ['apps-v1.ts', 'Deployment', 2],
  ['apps-v1.ts', 'DeploymentSpec', 8],
  ['apps-v1.ts', 'DeploymentStatus', 9],
  ['apps-v1.ts', 'DeploymentStrategy', 2],
  ['apps-v1.ts', 'RollingUpdateDeployment', 2],
  ['apps-v1.ts', 'DeploymentCondition', 6],
  ['apps-v1.ts', 'StatefulSet', 2],
  ['apps-v1.ts', 'StatefulSetSpec', 11],
  ['apps-v1.ts', 'StatefulSetStatus', 10],
  ['apps-v1.ts', 'StatefulSetUpdateStrategy', 2],
  ['apps-v1.ts', 'RollingUpdateStatefulSetStrategy', 2],
  ['apps-v1.ts', 'StatefulSetOrdinals', 1],
  ['apps-v1.ts', 'StatefulSetPersistentVolumeClaimRetentionPolicy', 2],
  ['batch-v1.ts', 'Job', 2],
  ['batch-v1.ts', 'JobSpec', 16],
  ['batch-v1.ts', 'JobStatus', 11],
  ['batch-v1.ts', 'JobCondition', 6],
  ['meta-v1.ts', 'Condition', 6],
  ['meta-v1.ts', 'LabelSelector', 2],
  ['meta-v1.ts', 'LabelSelectorRequirement', 3],
]

describe('doc comments of built-in kinds', () => {
  it.each(described)('%s: every field of %s has one', (file, type, count) => {
    const fields = fieldsOf(read(file), type)
    expect(fields).toHaveLength(count)
    expect(fields.filter(({ comment }) => comment === undefined).map(({ name }) => name)).toEqual([])
  })

  it('every text is a sentence, and that of a field of a type', () => {
    for (const [name, text] of builtinDocs()) {
      expect(text, name).toMatch(/^[A-Z`].*\.$/s)
      const [group = '', version = '', type = '', field = ''] = name.split('.')
      const fields = fieldsOf(read(`${group}-${version}.ts`), type)
      expect(fields, name).toContainEqual({ name: field, comment: text })
    }
  })

  it('a long comment has lines of at most 120 characters', () => {
    const words = 'word '.repeat(60).trim()
    const lines = docComment(words).split('\n')
    expect(lines.length).toBeGreaterThan(3)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120)
    expect(docComment(words).match(/word/g)).toHaveLength(60)
  })
})
