/**
 * Names of shared parameters of OpenAPI v2. The suffix is upstream's hash of the parameter with its description.
 * Descriptions are not kept here, so the hashes are a table. If a parameter has several descriptions, the kind of the
 * operation's options (or its action) tells them apart.
 */
import { metaSchema, type OpenApiOperation } from './operation.ts'
import type { Parameter } from './parameters.ts'

const hashes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    allowWatchBookmarks: 'HC2hJt-J',
    command: 'Py3eQybp',
    container: '1GeXxFDC',
    'container PodAttachOptions': '_Q-EJ3nR',
    'container PodExecOptions': 'i5dOmRiM',
    continue: 'QfD61s0i',
    fieldManager: 'Qy4HdaTW',
    'fieldManager patch': '7c6nTn1T',
    fieldSelector: 'xIcQKXFG',
    follow: '9OIXh_2R',
    force: 'tOGGb0Yi',
    gracePeriodSeconds: '-K5HaBOS',
    ignoreStoreReadErrorWithClusterBreakingPotential: 'QbNkfIqj',
    insecureSkipTLSVerifyBackend: 'gM00jVbe',
    labelSelector: '5Zw57w4C',
    limit: '1NfNmdNH',
    limitBytes: 'zwd1RXuc',
    namespace: 'vgWSWtn3',
    orphanDependents: 'uRB25kX5',
    '{path}': 'z6Ciiujn',
    'path PodProxyOptions': 'oPbzgLUj',
    'path ServiceProxyOptions': 'QCf0eosM',
    'path NodeProxyOptions': 'rFDtV0x9',
    ports: '91KROJmm',
    pretty: 'tJGM1-ng',
    previous: '1jxDPu3y',
    propagationPolicy: '6jk3prlO',
    resourceVersion: '5WAnf1kx',
    resourceVersionMatch: 't8XhRHeC',
    sendInitialEvents: 'rLXlEK_k',
    sinceSeconds: 'vE2NLdnP',
    'stderr PodAttachOptions': '26jJhFUR',
    'stderr PodExecOptions': 'W_1TNlWc',
    'stdin PodAttachOptions': 'sEFnN3IS',
    'stdin PodExecOptions': 'PSzNhyUC',
    'stdout PodAttachOptions': '005YMKE6',
    'stdout PodExecOptions': '-EZLRwV1',
    stream: 'l-48cgXv',
    tailLines: '9xQLWHMV',
    timeoutSeconds: 'yvYezaOC',
    timestamps: 'c17fW1w_',
    'tty PodAttachOptions': 'g7MlET_l',
    'tty PodExecOptions': 's0flW37O',
    watch: 'XNNPZGbK',
  }),
)

/**
 * Undefined for a parameter that is not shared: `name`, whose description names the kind, and `dryRun` and
 * `fieldValidation`, which old clients look for in the operation.
 */
export function sharedParameter(parameter: Parameter, operation: OpenApiOperation): string | undefined {
  const { name } = parameter
  const hash =
    (parameter.in === 'path' ? hashes.get(`{${name}}`) : undefined) ??
    hashes.get(`${name} ${operation.kind?.kind}`) ??
    hashes.get(`${name} ${operation.action}`) ??
    hashes.get(name)
  return hash === undefined ? undefined : `${name}-${hash}`
}

/** The shared bodies of patches and deletes. Undefined for other schemas. */
export function sharedBody(schema: string): string | undefined {
  if (schema === metaSchema('DeleteOptions')) return 'body-2Y1dVQaQ'
  return schema === metaSchema('Patch') ? 'body-78PwaGsr' : undefined
}
