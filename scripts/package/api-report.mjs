/**
 * The API report: the exports of the package as text for review, made from the bundled declarations in `dist/`. One
 * file for each entry point, with the signature of every name, sorted; and one with the types that these signatures
 * refer to and no entry point exports. Private members, comments and bodies are left out.
 */
import { join, relative } from 'node:path'
import ts from '@typescript/typescript6'
import { entryPoints } from './entry-points.mjs'

/** @returns {Map<string, string>} names of files in `etc/`, with their texts */
export function apiReports(root) {
  const entries = entryPoints(root)
  const program = ts.createProgram(
    entries.map(({ types }) => join(root, types)),
    // Only symbols are resolved, no types, so the standard libraries are not needed.
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, types: [], noLib: true },
  )
  const checker = program.getTypeChecker()
  const api = { checker, folder: join(root, 'dist'), publicNames: new Map(), referred: new Set() }
  const exported = entries.map(({ types }) => {
    const source = program.getSourceFile(join(root, types))
    if (source === undefined) throw new Error(`${types} is missing: build first`)
    return exportsOf(api, source)
  })
  const reports = new Map()
  for (const [index, { specifier, types }] of entries.entries()) {
    const parts = exported[index].map((each) => printed(api, each))
    reports.set(fileName(specifier), page(specifier, `${counts(parts)}, from \`${types.slice('./'.length)}\`.`, parts))
  }
  const others = printedUnexported(api)
  const summary = `${others.length} types that signatures refer to and no entry point exports.`
  reports.set(fileName('not-exported'), page('Not exported', summary, others))
  return reports
}

const fileName = (specifier) => `${specifier.replace('/', '-')}.api.md`

function counts(parts) {
  const count = (wanted) => parts.filter(({ category }) => category === wanted).length
  return ['name', 'kind', 'namespace'].map((each) => `${count(each)} ${each}s`).join(', ')
}

function page(title, summary, parts) {
  const head = `# ${title}\n\n${summary} Written by \`npm run api -- --update\`.\n`
  return `${head}\n\`\`\`ts\n${parts.map(({ text }) => text).join('\n\n')}\n\`\`\`\n`
}

const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/**
 * @typedef {object} Api
 * @property {ts.TypeChecker} checker
 * @property {string} folder the folder of the declarations
 * @property {Map<ts.Symbol, string>} publicNames the exported name of each symbol
 * @property {Set<ts.Symbol>} referred symbols that a signature mentions and that are not exported
 */

/** The exports of an entry point, sorted by name. Records the public names. */
function exportsOf(api, source) {
  const { checker, publicNames } = api
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map((symbol) => {
    const target = resolved(api, symbol)
    publicNames.set(target, symbol.name)
    return { name: symbol.name, target }
  })
  // A type of a namespace may also be exported by itself; signatures show the longer name.
  for (const { name, target } of exported.filter((each) => isNamespace(each.target)))
    for (const member of checker.getExportsOfModule(target))
      publicNames.set(original(api, resolved(api, member)), `${name}.${member.name}`)
  return exported.sort(byName)
}

function printed(api, { name, target }) {
  if (isNamespace(target)) return { category: 'namespace', name, text: namespace(api, name, target) }
  const text = declarations(api, name, target)
  return { category: /^const \w+: Kind</.test(text) ? 'kind' : 'name', name, text }
}

/** Printing a type may refer to further types: the set grows during the loop. */
function printedUnexported(api) {
  const parts = []
  for (const target of api.referred) parts.push(printed(api, { name: plainName(target.name), target }))
  return parts.sort((a, b) => byName(a, b) || (a.text < b.text ? -1 : 1))
}

function resolved({ checker }, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

/** Undoes the alias that the bundler makes for each type of a namespace: `type coreV1_d_Pod = Pod`. */
function original(api, symbol) {
  const [declaration] = symbol.declarations
  if (!/_d_/.test(symbol.name) || !ts.isTypeAliasDeclaration(declaration)) return symbol
  if (!ts.isTypeReferenceNode(declaration.type)) return symbol
  return resolved(api, api.checker.getSymbolAtLocation(declaration.type.typeName))
}

/** The types of Kubernetes are generated from the recorded facts, so the report lists only their names. */
function namespace({ checker }, name, symbol) {
  const members = checker.getExportsOfModule(symbol).map((member) => `  ${member.name}`)
  return `namespace ${name} {\n${members.sort().join('\n')}\n}`
}

function declarations(api, name, symbol) {
  return symbol.declarations.map((declaration) => signature(api, name, declaration)).join('\n')
}

function signature(api, name, declaration) {
  const printer = ts.createPrinter({ removeComments: true })
  const { transformed } = ts.transform(declaration, [(context) => (node) => withoutPrivate(api, node, context)])
  const text = printer.printNode(ts.EmitHint.Unspecified, transformed[0], declaration.getSourceFile())
  return (ts.isVariableDeclaration(declaration) ? `const ${text}` : text)
    .replace(declaration.name.text, () => name)
    .replace(/;$/, '')
    .replaceAll(/^ +/gm, (indent) => ' '.repeat(indent.length / 2))
}

/** Removes private members, and replaces type names by their public names. */
function withoutPrivate(api, node, context) {
  const visit = (child) => {
    if (isHidden(child)) return undefined
    if (ts.isIdentifier(child)) return publicIdentifier(api, child)
    return ts.visitEachChild(child, visit, context)
  }
  return ts.visitEachChild(node, visit, context)
}

function publicIdentifier(api, node) {
  const found = api.checker.getSymbolAtLocation(node)
  if (found === undefined) return node
  const symbol = resolved(api, found)
  const known = api.publicNames.get(symbol)
  if (known !== undefined) return known === node.text ? node : ts.factory.createIdentifier(known)
  if (!isOurs(api, symbol)) return node
  api.referred.add(symbol)
  return ts.factory.createIdentifier(plainName(symbol.name))
}

/** Whether the symbol is declared at the top level of one of our files. */
function isOurs({ folder }, { declarations: list = [] }) {
  return list.some((declaration) => {
    const outer = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
    if (outer.parent === undefined || !ts.isSourceFile(outer.parent)) return false
    return !relative(folder, outer.parent.fileName).startsWith('..')
  })
}

const isNamespace = (symbol) => (symbol.flags & ts.SymbolFlags.Module) !== 0

/** The bundler appends a number to names that occur in two files. */
const plainName = (name) => name.replace(/\$\d+$/, '')

function isHidden(node) {
  if (node.kind === ts.SyntaxKind.ExportKeyword || node.kind === ts.SyntaxKind.DeclareKeyword) return true
  if (!ts.isClassElement(node)) return false
  if (node.name !== undefined && ts.isPrivateIdentifier(node.name)) return true
  return (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0
}
