import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { isInstalled, root } from './ensure.mjs'

const folders = []

/** A project whose lock file asks for `wanted` and whose node_modules records `present`. */
function project(wanted, present) {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-ensure-'))
  folders.push(folder)
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': { name: 'x' }, ...wanted } }))
  if (present === undefined) return folder
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: present }))
  return folder
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const yaml = { version: '2.9.1', integrity: 'sha512-a' }

describe('isInstalled', () => {
  test.each([
    ['what the lock file asks for', { 'node_modules/yaml': yaml }, { 'node_modules/yaml': yaml }, true],
    ['no node_modules', { 'node_modules/yaml': yaml }, undefined, false],
    ['a package that is missing', { 'node_modules/yaml': yaml }, {}, false],
    ['a package for another platform', { 'node_modules/mac': { ...yaml, optional: true } }, {}, true],
    ['another version', { 'node_modules/yaml': { ...yaml, version: '2.9.2' } }, { 'node_modules/yaml': yaml }, false],
    [
      'other contents',
      { 'node_modules/yaml': { ...yaml, integrity: 'sha512-b' } },
      { 'node_modules/yaml': yaml },
      false,
    ],
    ['a package too many', {}, { 'node_modules/yaml': yaml }, false],
  ])('%s', (_, wanted, present, expected) => {
    expect(isInstalled(project(wanted, present))).toBe(expected)
  })
})

describe('package-lock.json', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

  // `npm install` omits packages of other platforms if node_modules already exists; `npm ci` then rejects the lock
  // file.
  test('has the optional packages of all platforms', () => {
    const names = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    expect(names.filter((name) => packages[`node_modules/${name}`] === undefined)).toEqual([])
  })

  test('names no registry', () => {
    expect(Object.keys(packages).filter((path) => packages[path].resolved !== undefined)).toEqual([])
  })
})
