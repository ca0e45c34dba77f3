/** Diffs as upstream's messages show them, and the internal form of the objects that they compare. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { internalJson, jsonName } from './internal-json.ts'
import { unifiedDiff } from './unified-diff.ts'

function lines(...values: unknown[]): string {
  return values.join('\n')
}

describe('unifiedDiff', () => {
  it('unifiedDiff is empty for equal texts', () => {
    expect(unifiedDiff('a\nb', 'a\nb')).toBe('')
  })

  it('unifiedDiff shows three lines around a change', () => {
    const a = lines(1, 2, 3, 4, 5, 6, 7, 8, 9)
    const b = lines(1, 2, 3, 4, 'x', 6, 7, 8, 9)
    expect(unifiedDiff(a, b)).toBe('@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n')
  })

  it('unifiedDiff parts changes that are far from one another', () => {
    const a = Array.from({ length: 20 }, (_, i) => `l${i}`)
    const b = a.map((line, i) => (i === 2 || i === 17 ? `${line}!` : line))
    expect(unifiedDiff(a.join('\n'), b.join('\n')).match(/^@@/gm)).toHaveLength(2)
  })

  it('unifiedDiff turns one text into the other', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(patched(a, unifiedDiff(a.join('\n'), b.join('\n')))).toEqual(b.length === 0 ? [''] : b)
      }),
    )
  })
})

/** Applies a diff, in the simplest way. */
function patched(from: readonly string[], diff: string): string[] {
  const source = from.length === 0 ? [''] : [...from]
  const result: string[] = []
  let at = 0
  for (const line of diff.split('\n').slice(0, -1)) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line)
    if (hunk !== null) {
      const start = Number(hunk[1]) - (hunk[2] === '0' ? 0 : 1)
      while (at < start) result.push(source[at++] as string)
    } else if (line.startsWith('+')) {
      result.push(line.slice(1))
    } else {
      expect(source[at]).toBe(line.slice(1))
      at++
      if (line.startsWith(' ')) result.push(line.slice(1))
    }
  }
  while (at < source.length) result.push(source[at++] as string)
  return result
}

describe('internalJson', () => {
  it('internalJson names fields as v1 does', () => {
    const names = ['Name', 'HTTPGet', 'OS', 'FSType', 'DNSPolicy', 'TerminationGracePeriodSeconds'].map(jsonName)
    expect(names).toEqual(['name', 'httpGet', 'os', 'fsType', 'dnsPolicy', 'terminationGracePeriodSeconds'])
  })

  it('internalJson shows all fields in the order of the type', () => {
    expect(JSON.stringify(internalJson('Toleration', { operator: 'Exists', key: 'a' }))).toBe(
      '{"Key":"a","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}',
    )
  })

  it('internalJson moves what v1 has beside the security context into it', () => {
    const shown = internalJson('PodSpec', { hostNetwork: true, containers: [] })
    expect(shown.SecurityContext).toMatchObject({ HostNetwork: true, HostPID: false })
    expect(internalJson('PodSpec', {}).SecurityContext).toBeNull()
  })
})
