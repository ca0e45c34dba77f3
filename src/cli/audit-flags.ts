/** The flags of the audit log, which are those of kube-apiserver. */
import type { Command } from './command.ts'

export const auditFlags: Command['options'] = {
  'audit-policy-file': {
    type: 'string',
    value: 'FILE',
    help: 'which requests the audit log has, and how much of them (audit.k8s.io/v1 Policy)',
  },
  'audit-log-path': { type: 'string', value: 'FILE', help: 'write the audit log to this file; - is standard output' },
  'audit-log-format': {
    type: 'string',
    value: 'FORMAT',
    choices: ['json', 'legacy'],
    help: 'json or legacy (default json)',
  },
  'audit-log-maxsize': { type: 'string', value: 'MB', help: 'size at which the file is rotated (default 100)' },
  'audit-log-maxbackup': { type: 'string', value: 'N', help: 'rotated files to keep (default 0: all)' },
  'audit-log-maxage': { type: 'string', value: 'DAYS', help: 'how long to keep rotated files (default 0: for ever)' },
}
