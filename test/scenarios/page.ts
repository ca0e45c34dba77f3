/** docs/internals/scenarios.md, made of the scenarios and the rules, so that it cannot tell anything else. */
import { explained } from './explained.ts'
import { rules } from './rules.ts'
import { groups } from './scenarios.ts'

export const pageUrl = new URL('../../docs/internals/scenarios.md', import.meta.url)

export function page(): string {
  const count = groups.reduce((sum, { scenarios }) => sum + scenarios.length, 0)
  const rows = explained.map(
    ({ scenario, ways, difference, why }) =>
      `| \`${scenario.source}\` | ${ways.join(', ')} | ` +
      `\`${difference.source.replaceAll('|', String.raw`\|`)}\` | ${why} |`,
  )
  const lists = groups.map(
    ({ about, scenarios }) => `**${about}** (${scenarios.length}): ${scenarios.map(({ name }) => name).join(', ')}`,
  )
  return `# Scenarios

${count} scenarios are run on three clusters, and must end in the same states, with the same conditions, messages and
events:

1. the real one: kube-apiserver, kube-controller-manager, kube-scheduler and kwok's nodes 
   ([the reference cluster](reference-cluster.md));
2. ours: the embedded control plane with our controllers, our scheduler and simulated nodes, in one process, on a
   simulated clock;
3. the real kube-apiserver, kube-scheduler and kwok's nodes with our controllers in place of kube-controller-manager.

\`\`\`sh
npm run -s scenarios                                # 1 and 2 side by side, where Go is
npm run -s scenarios -- --ours-on-real              # 3 too, as npm run test:cluster does
npm run -s scenarios -- --only rollout --show       # some, with everything that differs
npm run -s scenarios -- --update                    # keeps what the real cluster did
npm run -s scenarios -- --stored                    # 2 against what is kept; npm test does the same
\`\`\`

The last line is \`scenarios: E of T equal, X explained, U unexplained\`. What the real cluster did is kept in
\`test/scenarios/recorded\`, one file for each scenario. A scenario is a value in \`test/scenarios/groups\`: requests,
things to wait for, and looks at everything in its namespace. What differs on the real cluster is run again there, three
times at most: it is not always the same itself.

## What is not compared

| what | why |
|---|---|
${rules.map(({ what, why }) => `| ${what} | ${why} |`).join('\n')}

Everything else is: every field of every object of the namespace, conditions with status, reason and message, events
with their source, reason, text and number, and the words of refused requests.

## What differs and stays

${rows.length === 0 ? 'Nothing.' : `| scenario | where | difference | why |\n|---|---|---|---|\n${rows.join('\n')}`}

## Which there are

${lists.join('\n\n')}
`
}
