/** Normalizes the output of kubectl: ages, times, ids, versions, addresses and column widths differ from run to run. */

const changes: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME'],
  // The header of a diff: files, with times in the machine's time zone.
  [/^(diff -u -N|---|\+\+\+) .*(LIVE|MERGED)-\d+\/(\S+).*$/gm, '$1 $2 $3'],
  [/pod-template-hash=[0-9a-z]+/g, 'pod-template-hash=HASH'],
  [/https:\/\/127\.0\.0\.1:\d+/g, 'SERVER'],
  [/"?resourceVersion"?: "\d+"/g, 'resourceVersion: VERSION'],
  [/Resource Version:( +)\d+/g, 'Resource Version:$1VERSION'],
  [/\b(\d+):3[0-2]\d{3}\/TCP/g, '$1:PORT/TCP'],
  [/\b10\.\d+\.\d+\.\d+\b/g, 'ADDRESS'],
  [/(?<=\s|^)(\d+[smhd])+(?=\s|$)/gm, 'AGE'],
  [/(?<=\S)[ \t]{2,}|\t/g, ' '],
  [/ +$/gm, ''],
  // A real server sometimes emits this warning, because it has not observed the address of a new Service yet.
  [/Events:\n.*\n.*\n( +Warning ClusterIPNotAllocated .*\n)+/g, 'Events: <none>\n'],
]

export function plainText(text: string): string {
  return changes.reduce((done, [pattern, by]) => done.replaceAll(pattern, by), text)
}
