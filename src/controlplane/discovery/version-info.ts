/**
 * The content of `/version`: the Kubernetes version whose behaviour this server has. Clients use it to decide which
 * features are available.
 */
export type VersionInfo = Record<
  | 'major'
  | 'minor'
  | 'emulationMajor'
  | 'emulationMinor'
  | 'minCompatibilityMajor'
  | 'minCompatibilityMinor'
  | 'gitVersion'
  | 'gitCommit'
  | 'gitTreeState'
  | 'buildDate'
  | 'goVersion'
  | 'compiler'
  | 'platform',
  string
>

export const kubernetesVersion: Readonly<VersionInfo> = {
  major: '1',
  minor: '35',
  emulationMajor: '1',
  emulationMinor: '35',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '34',
  gitVersion: 'v1.35.8',
  gitCommit: 'ref',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.25.14',
  compiler: 'gc',
  platform: 'linux/amd64',
}
