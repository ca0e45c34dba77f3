/** The bugs that the suite must notice, each as a replacement of text in a source file. */

export interface Mutant {
  readonly name: string
  readonly file: string
  /** Occurs once in the file. */
  readonly text: string
  readonly instead: string
}

export const mutants: readonly Mutant[] = [
  {
    name: 'a wrong conflict message',
    file: 'src/controlplane/fields/apply-conflict.ts',
    text: 'const message = `conflict with ${name}`',
    instead: 'const message = `conflict on ${name}`',
  },
  {
    name: 'a missed generation',
    file: 'src/controlplane/registry/update.ts',
    text: 'for (const field in object) if (counts(field) && !equalJson(object[field], old[field])) return true',
    instead:
      "for (const field in object) if (counts(field) && field !== 'spec' && !equalJson(object[field], " +
      'old[field])) return true',
  },
  {
    name: 'a lost managed field',
    file: 'src/controlplane/fields/apply-patch.ts',
    text: 'recordApplier(owners, applier, last, owned, changedAt)',
    instead: 'recordApplier(owners, applier, last, last?.fields ?? owned, changedAt)',
  },
  {
    name: 'a wrong selector',
    file: 'src/api/label-requirement.ts',
    text: 'return (labels) => valueOf(labels, key) === undefined',
    instead: "return (labels) => valueOf(labels, key) !== 'a'",
  },
  {
    name: 'a write without effect that counts',
    file: 'src/controlplane/registry/update.ts',
    text: 'if (isNoOpUpdate(call, object, live, context)) return noOpUpdate(live)',
    instead: 'isNoOpUpdate(call, object, live, context)',
  },
  {
    name: 'a finalizer that holds nothing',
    file: 'src/controlplane/registry/delete.ts',
    text: 'const held = finalizers.length > 0 ||',
    instead: 'const held = finalizers.length > 1 ||',
  },
]
