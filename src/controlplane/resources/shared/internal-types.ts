/**
 * Upstream's internal types as JSON: some messages of the API show them, with Go's names and all zero values. Read from
 * the types of kube-apiserver v1.35.8 by reflection; nothing here is written by hand.
 *
 * A type is a list of fields in order. After the Go name comes the v1 JSON name, if {@link jsonName} does not derive it
 * (`Name:json`), then the zero value: `$` "", `#` 0, `?` false, `%` "0", `*` null, `.` a struct. `*` and `.` are
 * followed by the name of the type, if it has one. `~` stands for ObjectMeta, whose fields are inlined.
 */
export const internalTypes: Readonly<Record<string, string>> = {
  CSINodeDriver: 'Name$ NodeID$ TopologyKeys* Allocatable*',
  VolumeAttachmentSpec: 'Attacher$ Source.VolumeAttachmentSource NodeName$',
  VolumeAttachmentSource: 'PersistentVolumeName* InlineVolumeSpec*PersistentVolumeSpec',
  ParentReference: 'Group$ Resource$ Namespace$ Name$',
  ResourceClaimTemplateSpec: '~ Spec.ResourceClaimSpec',
  ResourceClaimSpec: 'Devices.DeviceClaim',
  DeviceClaim: 'Requests*DeviceRequest Constraints*DeviceConstraint Config*DeviceClaimConfiguration',
  DeviceRequest: 'Name$ Exactly*ExactDeviceRequest FirstAvailable*DeviceSubRequest',
  ExactDeviceRequest:
    'DeviceClassName$ Selectors*DeviceSelector AllocationMode$ Count# AdminAccess* ' +
    'Tolerations*DeviceToleration Capacity*',
  DeviceSubRequest:
    'Name$ DeviceClassName$ Selectors*DeviceSelector AllocationMode$ Count# Tolerations*DeviceToleration Capacity*',
  DeviceSelector: 'CEL*CELDeviceSelector',
  CELDeviceSelector: 'Expression$',
  DeviceToleration: 'Key$ Operator$ Value$ Effect$ TolerationSeconds*',
  DeviceConstraint: 'Requests* MatchAttribute* DistinctAttribute*',
  DeviceClaimConfiguration: 'Requests* Opaque*OpaqueDeviceConfiguration',
  OpaqueDeviceConfiguration: 'Driver$ Parameters*',
  DeviceAttribute: 'IntValue:int* BoolValue:bool* StringValue:string* VersionValue:version*',
  AllocationResult: 'Devices.DeviceAllocationResult NodeSelector*NodeSelector AllocationTimestamp*',
  DeviceAllocationResult: 'Results*DeviceRequestAllocationResult Config*DeviceAllocationConfiguration',
  DeviceRequestAllocationResult:
    'Request$ Driver$ Pool$ Device$ AdminAccess* Tolerations*DeviceToleration BindingConditions* ' +
    'BindingFailureConditions* ' +
    'ShareID* ConsumedCapacity*',
  DeviceAllocationConfiguration: 'Source$ Requests* Opaque*OpaqueDeviceConfiguration',
  EventSource: 'Component$ Host$',
  CertificateSigningRequestCondition: 'Type$ Status$ Reason$ Message$ LastUpdateTime* LastTransitionTime*',
  PodTemplateSpec: '~ Spec.PodSpec',
  PodSpec:
    'Volumes*Volume InitContainers*Container Containers*Container EphemeralContainers*EphemeralContainer ' +
    'RestartPolicy$ TerminationGracePeriodSeconds* ActiveDeadlineSeconds* DNSPolicy$ NodeSelector* ' +
    'ServiceAccountName$ AutomountServiceAccountToken* NodeName$ SecurityContext*PodSecurityContext ' +
    'ImagePullSecrets*LocalObjectReference Hostname$ Subdomain$ SetHostnameAsFQDN* Affinity*Affinity ' +
    'SchedulerName$ Tolerations*Toleration HostAliases*HostAlias PriorityClassName$ Priority* ' +
    'PreemptionPolicy* DNSConfig*PodDNSConfig ReadinessGates*PodReadinessGate RuntimeClassName* Overhead* ' +
    'EnableServiceLinks* TopologySpreadConstraints*TopologySpreadConstraint OS*PodOS ' +
    'SchedulingGates*PodSchedulingGate ResourceClaims*PodResourceClaim Resources*ResourceRequirements ' +
    'HostnameOverride* WorkloadRef*WorkloadReference',
  Volume:
    'Name$ HostPath*HostPathVolumeSource EmptyDir*EmptyDirVolumeSource ' +
    'GCEPersistentDisk*GCEPersistentDiskVolumeSource ' +
    'AWSElasticBlockStore*AWSElasticBlockStoreVolumeSource GitRepo*GitRepoVolumeSource ' +
    'Secret*SecretVolumeSource NFS*NFSVolumeSource ISCSI*ISCSIVolumeSource ' +
    'Glusterfs*GlusterfsVolumeSource PersistentVolumeClaim*PersistentVolumeClaimVolumeSource ' +
    'RBD*RBDVolumeSource Quobyte*QuobyteVolumeSource FlexVolume*FlexVolumeSource ' +
    'Cinder*CinderVolumeSource CephFS:cephfs*CephFSVolumeSource Flocker*FlockerVolumeSource ' +
    'DownwardAPI*DownwardAPIVolumeSource FC*FCVolumeSource AzureFile*AzureFileVolumeSource ' +
    'ConfigMap*ConfigMapVolumeSource VsphereVolume*VsphereVirtualDiskVolumeSource ' +
    'AzureDisk*AzureDiskVolumeSource PhotonPersistentDisk*PhotonPersistentDiskVolumeSource ' +
    'Projected*ProjectedVolumeSource PortworxVolume*PortworxVolumeSource ScaleIO*ScaleIOVolumeSource ' +
    'StorageOS:storageos*StorageOSVolumeSource CSI*CSIVolumeSource Ephemeral*EphemeralVolumeSource ' +
    'Image*ImageVolumeSource',
  HostPathVolumeSource: 'Path$ Type*',
  EmptyDirVolumeSource: 'Medium$ SizeLimit*',
  GCEPersistentDiskVolumeSource: 'PDName$ FSType$ Partition# ReadOnly?',
  AWSElasticBlockStoreVolumeSource: 'VolumeID$ FSType$ Partition# ReadOnly?',
  GitRepoVolumeSource: 'Repository$ Revision$ Directory$',
  SecretVolumeSource: 'SecretName$ Items*KeyToPath DefaultMode* Optional*',
  KeyToPath: 'Key$ Path$ Mode*',
  NFSVolumeSource: 'Server$ Path$ ReadOnly?',
  ISCSIVolumeSource:
    'TargetPortal$ IQN$ Lun# ISCSIInterface$ FSType$ ReadOnly? Portals* ' +
    'DiscoveryCHAPAuth:chapAuthDiscovery? SessionCHAPAuth:chapAuthSession? SecretRef*LocalObjectReference ' +
    'InitiatorName*',
  LocalObjectReference: 'Name$',
  GlusterfsVolumeSource: 'EndpointsName:endpoints$ Path$ ReadOnly?',
  PersistentVolumeClaimVolumeSource: 'ClaimName$ ReadOnly?',
  RBDVolumeSource:
    'CephMonitors:monitors* RBDImage:image$ FSType$ RBDPool:pool$ RadosUser:user$ Keyring$ ' +
    'SecretRef*LocalObjectReference ReadOnly?',
  QuobyteVolumeSource: 'Registry$ Volume$ ReadOnly? User$ Group$ Tenant$',
  FlexVolumeSource: 'Driver$ FSType$ SecretRef*LocalObjectReference ReadOnly? Options*',
  CinderVolumeSource: 'VolumeID$ FSType$ ReadOnly? SecretRef*LocalObjectReference',
  CephFSVolumeSource: 'Monitors* Path$ User$ SecretFile$ SecretRef*LocalObjectReference ReadOnly?',
  FlockerVolumeSource: 'DatasetName$ DatasetUUID$',
  DownwardAPIVolumeSource: 'Items*DownwardAPIVolumeFile DefaultMode*',
  DownwardAPIVolumeFile: 'Path$ FieldRef*ObjectFieldSelector ResourceFieldRef*ResourceFieldSelector Mode*',
  ObjectFieldSelector: 'APIVersion$ FieldPath$',
  ResourceFieldSelector: 'ContainerName$ Resource$ Divisor%',
  FCVolumeSource: 'TargetWWNs* Lun* FSType$ ReadOnly? WWIDs:wwids*',
  AzureFileVolumeSource: 'SecretName$ ShareName$ ReadOnly?',
  ConfigMapVolumeSource: 'Name$ Items*KeyToPath DefaultMode* Optional*',
  VsphereVirtualDiskVolumeSource: 'VolumePath$ FSType$ StoragePolicyName$ StoragePolicyID$',
  AzureDiskVolumeSource: 'DiskName$ DataDiskURI:diskURI$ CachingMode* FSType* ReadOnly* Kind*',
  PhotonPersistentDiskVolumeSource: 'PdID$ FSType$',
  ProjectedVolumeSource: 'Sources*VolumeProjection DefaultMode*',
  VolumeProjection:
    'Secret*SecretProjection DownwardAPI*DownwardAPIProjection ConfigMap*ConfigMapProjection ' +
    'ServiceAccountToken*ServiceAccountTokenProjection ClusterTrustBundle*ClusterTrustBundleProjection ' +
    'PodCertificate*PodCertificateProjection',
  SecretProjection: 'Name$ Items*KeyToPath Optional*',
  DownwardAPIProjection: 'Items*DownwardAPIVolumeFile',
  ConfigMapProjection: 'Name$ Items*KeyToPath Optional*',
  ServiceAccountTokenProjection: 'Audience$ ExpirationSeconds# Path$',
  ClusterTrustBundleProjection: 'Name* SignerName* LabelSelector* Optional* Path$',
  PodCertificateProjection:
    'SignerName$ KeyType$ MaxExpirationSeconds* CredentialBundlePath$ KeyPath$ CertificateChainPath$ ' +
    'UserAnnotations*',
  PortworxVolumeSource: 'VolumeID$ FSType$ ReadOnly?',
  ScaleIOVolumeSource:
    'Gateway$ System$ SecretRef*LocalObjectReference SSLEnabled? ProtectionDomain$ StoragePool$ ' +
    'StorageMode$ VolumeName$ FSType$ ReadOnly?',
  StorageOSVolumeSource: 'VolumeName$ VolumeNamespace$ FSType$ ReadOnly? SecretRef*LocalObjectReference',
  CSIVolumeSource: 'Driver$ ReadOnly* FSType* VolumeAttributes* NodePublishSecretRef*LocalObjectReference',
  EphemeralVolumeSource: 'VolumeClaimTemplate*PersistentVolumeClaimTemplate',
  PersistentVolumeClaimTemplate: '~ Spec.PersistentVolumeClaimSpec',
  PersistentVolumeClaimSpec:
    'AccessModes* Selector* Resources.VolumeResourceRequirements VolumeName$ StorageClassName* ' +
    'VolumeMode* DataSource*TypedLocalObjectReference DataSourceRef*TypedObjectReference ' +
    'VolumeAttributesClassName*',
  VolumeResourceRequirements: 'Limits* Requests*',
  TypedLocalObjectReference: 'APIGroup* Kind$ Name$',
  TypedObjectReference: 'APIGroup* Kind$ Name$ Namespace*',
  ImageVolumeSource: 'Reference$ PullPolicy$',
  Container:
    'Name$ Image$ Command* Args* WorkingDir$ Ports*ContainerPort EnvFrom*EnvFromSource Env*EnvVar ' +
    'Resources.ResourceRequirements ResizePolicy*ContainerResizePolicy RestartPolicy* ' +
    'RestartPolicyRules*ContainerRestartRule VolumeMounts*VolumeMount VolumeDevices*VolumeDevice ' +
    'LivenessProbe*Probe ReadinessProbe*Probe StartupProbe*Probe Lifecycle*Lifecycle ' +
    'TerminationMessagePath$ TerminationMessagePolicy$ ImagePullPolicy$ SecurityContext*SecurityContext ' +
    'Stdin? StdinOnce? TTY?',
  ContainerPort: 'Name$ HostPort# ContainerPort# Protocol$ HostIP$',
  EnvFromSource: 'Prefix$ ConfigMapRef*ConfigMapEnvSource SecretRef*SecretEnvSource',
  ConfigMapEnvSource: 'Name$ Optional*',
  SecretEnvSource: 'Name$ Optional*',
  EnvVar: 'Name$ Value$ ValueFrom*EnvVarSource',
  EnvVarSource:
    'FieldRef*ObjectFieldSelector ResourceFieldRef*ResourceFieldSelector ' +
    'ConfigMapKeyRef*ConfigMapKeySelector SecretKeyRef*SecretKeySelector FileKeyRef*FileKeySelector',
  ConfigMapKeySelector: 'Name$ Key$ Optional*',
  SecretKeySelector: 'Name$ Key$ Optional*',
  FileKeySelector: 'VolumeName$ Path$ Key$ Optional*',
  ResourceRequirements: 'Limits* Requests* Claims*ResourceClaim',
  ResourceClaim: 'Name$ Request$',
  ContainerResizePolicy: 'ResourceName$ RestartPolicy$',
  ContainerRestartRule: 'Action$ ExitCodes*ContainerRestartRuleOnExitCodes',
  ContainerRestartRuleOnExitCodes: 'Operator$ Values*',
  VolumeMount: 'Name$ ReadOnly? RecursiveReadOnly* MountPath$ SubPath$ MountPropagation* SubPathExpr$',
  VolumeDevice: 'Name$ DevicePath$',
  Probe:
    'Exec*ExecAction HTTPGet*HTTPGetAction TCPSocket*TCPSocketAction GRPC*GRPCAction InitialDelaySeconds# ' +
    'TimeoutSeconds# PeriodSeconds# SuccessThreshold# FailureThreshold# TerminationGracePeriodSeconds*',
  ExecAction: 'Command*',
  HTTPGetAction: 'Path$ Port# Host$ Scheme$ HTTPHeaders*HTTPHeader',
  HTTPHeader: 'Name$ Value$',
  TCPSocketAction: 'Port# Host$',
  GRPCAction: 'Port# Service*',
  Lifecycle: 'PostStart*LifecycleHandler PreStop*LifecycleHandler StopSignal*',
  LifecycleHandler: 'Exec*ExecAction HTTPGet*HTTPGetAction TCPSocket*TCPSocketAction Sleep*SleepAction',
  SleepAction: 'Seconds#',
  SecurityContext:
    'Capabilities*Capabilities Privileged* SELinuxOptions*SELinuxOptions ' +
    'WindowsOptions*WindowsSecurityContextOptions RunAsUser* RunAsGroup* RunAsNonRoot* ' +
    'ReadOnlyRootFilesystem* AllowPrivilegeEscalation* ProcMount* SeccompProfile*SeccompProfile ' +
    'AppArmorProfile*AppArmorProfile',
  Capabilities: 'Add* Drop*',
  SELinuxOptions: 'User$ Role$ Type$ Level$',
  WindowsSecurityContextOptions: 'GMSACredentialSpecName* GMSACredentialSpec* RunAsUserName* HostProcess*',
  SeccompProfile: 'Type$ LocalhostProfile*',
  AppArmorProfile: 'Type$ LocalhostProfile*',
  EphemeralContainer:
    'Name$ Image$ Command* Args* WorkingDir$ Ports*ContainerPort EnvFrom*EnvFromSource Env*EnvVar ' +
    'Resources.ResourceRequirements ResizePolicy*ContainerResizePolicy RestartPolicy* ' +
    'RestartPolicyRules*ContainerRestartRule VolumeMounts*VolumeMount VolumeDevices*VolumeDevice ' +
    'LivenessProbe*Probe ReadinessProbe*Probe StartupProbe*Probe Lifecycle*Lifecycle ' +
    'TerminationMessagePath$ TerminationMessagePolicy$ ImagePullPolicy$ SecurityContext*SecurityContext ' +
    'Stdin? StdinOnce? TTY? TargetContainerName$',
  PodSecurityContext:
    'HostNetwork? HostPID? HostIPC? ShareProcessNamespace* HostUsers* SELinuxOptions*SELinuxOptions ' +
    'WindowsOptions*WindowsSecurityContextOptions RunAsUser* RunAsGroup* RunAsNonRoot* ' +
    'SupplementalGroups* SupplementalGroupsPolicy* FSGroup* FSGroupChangePolicy* Sysctls*Sysctl ' +
    'SeccompProfile*SeccompProfile AppArmorProfile*AppArmorProfile SELinuxChangePolicy*',
  Sysctl: 'Name$ Value$',
  Affinity: 'NodeAffinity*NodeAffinity PodAffinity*PodAffinity PodAntiAffinity*PodAntiAffinity',
  NodeAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution*NodeSelector ' +
    'PreferredDuringSchedulingIgnoredDuringExecution*PreferredSchedulingTerm',
  NodeSelector: 'NodeSelectorTerms*NodeSelectorTerm',
  NodeSelectorTerm: 'MatchExpressions*NodeSelectorRequirement MatchFields*NodeSelectorRequirement',
  NodeSelectorRequirement: 'Key$ Operator$ Values*',
  PreferredSchedulingTerm: 'Weight# Preference.NodeSelectorTerm',
  PodAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution*PodAffinityTerm ' +
    'PreferredDuringSchedulingIgnoredDuringExecution*WeightedPodAffinityTerm',
  PodAffinityTerm: 'LabelSelector* Namespaces* TopologyKey$ NamespaceSelector* MatchLabelKeys* MismatchLabelKeys*',
  WeightedPodAffinityTerm: 'Weight# PodAffinityTerm.PodAffinityTerm',
  PodAntiAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution*PodAffinityTerm ' +
    'PreferredDuringSchedulingIgnoredDuringExecution*WeightedPodAffinityTerm',
  Toleration: 'Key$ Operator$ Value$ Effect$ TolerationSeconds*',
  HostAlias: 'IP$ Hostnames*',
  PodDNSConfig: 'Nameservers* Searches* Options*PodDNSConfigOption',
  PodDNSConfigOption: 'Name$ Value*',
  PodReadinessGate: 'ConditionType$',
  TopologySpreadConstraint:
    'MaxSkew# TopologyKey$ WhenUnsatisfiable$ LabelSelector* MinDomains* NodeAffinityPolicy* ' +
    'NodeTaintsPolicy* MatchLabelKeys*',
  PodOS: 'Name$',
  PodSchedulingGate: 'Name$',
  PodResourceClaim: 'Name$ ResourceClaimName* ResourceClaimTemplateName*',
  WorkloadReference: 'Name$ PodGroup$ PodGroupReplicaKey$',
  ServicePort: 'Name$ Protocol$ AppProtocol* Port# TargetPort# NodePort#',
  PersistentVolumeSpec:
    'Capacity* GCEPersistentDisk*GCEPersistentDiskVolumeSource ' +
    'AWSElasticBlockStore*AWSElasticBlockStoreVolumeSource HostPath*HostPathVolumeSource ' +
    'Glusterfs*GlusterfsPersistentVolumeSource NFS*NFSVolumeSource RBD*RBDPersistentVolumeSource ' +
    'Quobyte*QuobyteVolumeSource ISCSI*ISCSIPersistentVolumeSource FlexVolume*FlexPersistentVolumeSource ' +
    'Cinder*CinderPersistentVolumeSource CephFS:cephfs*CephFSPersistentVolumeSource FC*FCVolumeSource ' +
    'Flocker*FlockerVolumeSource AzureFile*AzureFilePersistentVolumeSource ' +
    'VsphereVolume*VsphereVirtualDiskVolumeSource AzureDisk*AzureDiskVolumeSource ' +
    'PhotonPersistentDisk*PhotonPersistentDiskVolumeSource PortworxVolume*PortworxVolumeSource ' +
    'ScaleIO*ScaleIOPersistentVolumeSource Local*LocalVolumeSource ' +
    'StorageOS:storageos*StorageOSPersistentVolumeSource CSI*CSIPersistentVolumeSource AccessModes* ' +
    'ClaimRef*ObjectReference PersistentVolumeReclaimPolicy$ StorageClassName$ MountOptions* VolumeMode* ' +
    'NodeAffinity*VolumeNodeAffinity VolumeAttributesClassName*',
  GlusterfsPersistentVolumeSource: 'EndpointsName:endpoints$ Path$ ReadOnly? EndpointsNamespace*',
  RBDPersistentVolumeSource:
    'CephMonitors:monitors* RBDImage:image$ FSType$ RBDPool:pool$ RadosUser:user$ Keyring$ ' +
    'SecretRef*SecretReference ReadOnly?',
  SecretReference: 'Name$ Namespace$',
  ISCSIPersistentVolumeSource:
    'TargetPortal$ IQN$ Lun# ISCSIInterface$ FSType$ ReadOnly? Portals* ' +
    'DiscoveryCHAPAuth:chapAuthDiscovery? SessionCHAPAuth:chapAuthSession? SecretRef*SecretReference ' +
    'InitiatorName*',
  FlexPersistentVolumeSource: 'Driver$ FSType$ SecretRef*SecretReference ReadOnly? Options*',
  CinderPersistentVolumeSource: 'VolumeID$ FSType$ ReadOnly? SecretRef*SecretReference',
  CephFSPersistentVolumeSource: 'Monitors* Path$ User$ SecretFile$ SecretRef*SecretReference ReadOnly?',
  AzureFilePersistentVolumeSource: 'SecretName$ ShareName$ ReadOnly? SecretNamespace*',
  ScaleIOPersistentVolumeSource:
    'Gateway$ System$ SecretRef*SecretReference SSLEnabled? ProtectionDomain$ StoragePool$ StorageMode$ ' +
    'VolumeName$ FSType$ ReadOnly?',
  LocalVolumeSource: 'Path$ FSType*',
  StorageOSPersistentVolumeSource: 'VolumeName$ VolumeNamespace$ FSType$ ReadOnly? SecretRef*ObjectReference',
  ObjectReference: 'Kind$ Namespace$ Name$ UID$ APIVersion$ ResourceVersion$ FieldPath$',
  CSIPersistentVolumeSource:
    'Driver$ VolumeHandle$ ReadOnly? FSType$ VolumeAttributes* ControllerPublishSecretRef*SecretReference ' +
    'NodeStageSecretRef*SecretReference NodePublishSecretRef*SecretReference ' +
    'ControllerExpandSecretRef*SecretReference NodeExpandSecretRef*SecretReference',
  VolumeNodeAffinity: 'Required*NodeSelector',
  DeploymentStrategy: 'Type$ RollingUpdate*RollingUpdateDeployment',
  RollingUpdateDeployment: 'MaxUnavailable# MaxSurge#',
  DaemonSetUpdateStrategy: 'Type$ RollingUpdate*RollingUpdateDaemonSet',
  RollingUpdateDaemonSet: 'MaxUnavailable# MaxSurge#',
  StatefulSetUpdateStrategy: 'Type$ RollingUpdate*RollingUpdateStatefulSetStrategy',
  RollingUpdateStatefulSetStrategy: 'Partition# MaxUnavailable*',
  PodFailurePolicy: 'Rules*PodFailurePolicyRule',
  PodFailurePolicyRule:
    'Action$ OnExitCodes*PodFailurePolicyOnExitCodesRequirement ' +
    'OnPodConditions*PodFailurePolicyOnPodConditionsPattern',
  PodFailurePolicyOnExitCodesRequirement: 'ContainerName* Operator$ Values*',
  PodFailurePolicyOnPodConditionsPattern: 'Type$ Status$',
  SuccessPolicy: 'Rules*SuccessPolicyRule',
  SuccessPolicyRule: 'SucceededIndexes* SucceededCount*',
  UncountedTerminatedPods: 'Succeeded* Failed*',
  ScopeSelector: 'MatchExpressions*ScopedResourceSelectorRequirement',
  ScopedResourceSelectorRequirement: 'ScopeName$ Operator$ Values*',
}
