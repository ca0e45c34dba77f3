/** Generates docs/internals/scenarios.md from the scenarios and the rules. */
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

${count} scenarios run on three clusters and must end in the same states, with the same conditions, messages and events:

1. the real one: kube-apiserver, kube-controller-manager, kube-scheduler and kwok's nodes
   ([the reference cluster](reference-cluster.md));
2. ours: the embedded control plane with our controllers, our scheduler and simulated nodes, in one process, on a
   simulated clock;
3. the real kube-apiserver, kube-scheduler and kwok's nodes with our controllers instead of kube-controller-manager.

\`\`\`sh
npm run -s scenarios                                # compares 1 and 2, needs Go
npm run -s scenarios -- --ours-on-real              # and 3, as npm run test:cluster does
npm run -s scenarios -- --only rollout --show       # some, with all differences
npm run -s scenarios -- --update                    # records the real cluster
npm run -s scenarios -- --stored                    # compares 2 with the recordings, as npm test does
\`\`\`

The last line is \`scenarios: E of T equal, X explained, U unexplained\`. The recordings of the real cluster are in
\`test/scenarios/recorded\`, one file per scenario. A scenario is a value in \`test/scenarios/groups\`: requests, states
to wait for, and observations of everything in its namespace. A scenario that differs on the real cluster is repeated
there, at most three times, because a real cluster is not always the same.

## What is not compared

| what | why |
|---|---|
${rules.map(({ what, why }) => `| ${what} | ${why} |`).join('\n')}

Everything else is compared: every field of every object of the namespace, conditions with status, reason and message,
events with their source, reason, text and number, and the messages of rejected requests.

## Known differences

${rows.length === 0 ? 'None.' : `| scenario | where | difference | why |\n|---|---|---|---|\n${rows.join('\n')}`}

## All scenarios

${lists.join('\n\n')}
`
}
