/** A security advisory in the form of OSV (https://ossf.github.io/osv-schema), which GitHub and npm read. */

export interface Advisory {
  readonly schema_version: '1.6.0'
  readonly id: string
  readonly summary: string
  readonly details: string
  readonly published: string
  readonly modified: string
  readonly affected: readonly {
    readonly package: { readonly ecosystem: 'npm'; readonly name: string }
    readonly ranges: readonly {
      readonly type: 'SEMVER'
      readonly events: readonly { readonly introduced?: string; readonly fixed?: string }[]
    }[]
  }[]
}

export interface AdvisoryInput extends Pick<Advisory, 'id' | 'summary' | 'details' | 'published'> {
  readonly introduced: string
  readonly fixed: string
}

export function advisory({ introduced, fixed, ...texts }: AdvisoryInput): Advisory {
  const ranges = [{ type: 'SEMVER' as const, events: [{ introduced }, { fixed }] }]
  return {
    schema_version: '1.6.0',
    ...texts,
    modified: texts.published,
    affected: [{ package: { ecosystem: 'npm', name: 'coxswain' }, ranges }],
  }
}

/** What keeps an advisory from being published. Empty: nothing. */
export function advisoryProblems({ id, summary, details, published, affected }: Advisory): readonly string[] {
  const versions = affected.flatMap(({ ranges }) =>
    ranges.flatMap(({ events }) => events.flatMap((event) => [event.introduced ?? [], event.fixed ?? []].flat())),
  )
  return [
    ...Object.entries({ id, summary, details }).flatMap(([name, text]) => (text === '' ? [`${name} is empty`] : [])),
    ...(Number.isNaN(Date.parse(published)) ? ['published is no time'] : []),
    ...(affected.length === 0 ? ['affected is empty'] : []),
    ...versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version)).map((version) => `${version} is no version`),
  ]
}
