/** Every relative link of every page leads to an existing file and heading, and every page is indexed. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
    .map((path) => join(folder, path))
    .toSorted()
}

const rootPages = readdirSync(root).filter((name) => name.endsWith('.md'))
const pages = [...rootPages, ...['docs', 'tools', 'examples', 'operators', 'deploy', 'etc'].flatMap(present)]

function present(folder: string): string[] {
  return existsSync(join(root, folder)) ? markdownIn(folder) : []
}

/** Text outside of code blocks and code spans. */
function prose(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, '``')
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(file: string): Set<string> {
  const seen = new Map<string, number>()
  const anchors = new Set<string>()
  for (const [, heading = ''] of readFileSync(file, 'utf8')
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    .matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    anchors.add(count === 0 ? slug : `${slug}-${count}`)
  }
  return anchors
}

function brokenLinks(page: string): string[] {
  const file = join(root, page)
  return [...prose(readFileSync(file, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link) && !resolves(file, link))
}

function resolves(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? file : join(dirname(file), path)
  if (path.startsWith('/') || !existsSync(target)) return false
  if (anchor === undefined) return true
  return statSync(target).isFile() && anchorsOf(target).has(anchor)
}

describe('links in Markdown pages', () => {
  it.each(pages)('links in Markdown pages: %s has no broken link', (page) => {
    expect(brokenLinks(page)).toEqual([])
  })
})

describe('paths in code font', () => {
  const path = /`((?:src|test|scripts|operators|tools|docs|etc)\/[\w./-]*\w)`/g
  // Decision records and the plan have paths of their time.
  const current = pages.filter((page) => !/^etc\/|^docs\/plan\.md|\/adr\/0/.test(page))

  it.each(current)('paths in code font: %s names paths that exist', (page) => {
    const names = [...readFileSync(join(root, page), 'utf8').matchAll(path)].map(([, name = '']) => name)
    expect(names.filter((name) => !existsSync(join(root, name)))).toEqual([])
  })
})

describe('docs/README.md and the index of each folder', () => {
  const links = (page: string): string[] =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)#\s]+)/g)].map(([, link = '']) =>
      relative(root, join(root, dirname(page), link)),
    )

  it('link to every page of docs', () => {
    const docs = pages.filter((page) => page.startsWith('docs/'))
    const indexes = docs.filter((page) => page.endsWith('README.md'))
    const indexed = new Set(indexes.flatMap(links))
    expect(docs.filter((page) => page !== 'docs/README.md' && !indexed.has(page))).toEqual([])
  })
})
