/** docs/reference/nodes.md lists every built-in controller. */
import { it } from 'vitest'
import { docsPage } from '../../test/docs/page.ts'
import { builtinNames } from './index.ts'

it('docs/reference/nodes.md lists every built-in controller', () => {
  const list = builtinNames.map((name) => `\`${name}\``).join(', ')
  docsPage('reference/nodes.md').checkGenerated('controllers', [`${list}.`])
})
