/** The options of an embedded cluster. */
import type { Transport } from '../client/transport.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import type { MetricsSource } from '../controllers/horizontal-pod-autoscaler/metrics.ts'
import type { ControlPlaneOptions } from '../controlplane/index.ts'
import type { BehaviourRule } from '../kubelet/index.ts'
import type { ManagerOptions } from '../manager/manager.ts'
import type { LogLevel } from '../telemetry/logger.ts'
import type { Webhook } from '../webhooks/webhook-server.ts'
import type { CarryOut } from '../external/external.ts'
import type { Snapshot } from './embedded-handle.ts'
import type { TestedExternal } from './external-systems.ts'
import type { FaultPlan } from './faulty-transport.ts'
import type { SettleOptions } from './settle.ts'

export interface EmbeddedOptions extends Pick<
  ManagerOptions,
  'namespaces' | 'cache' | 'tasks' | 'leaderElection' | 'gracePeriodMs' | 'traces'
> {
  /** A function is called at every start of the program, so that state in memory does not survive a crash. */
  readonly controllers?: readonly ControllerDefinition[] | (() => readonly ControllerDefinition[]) | undefined
  /**
   * Built-in controllers, by the names of kube-controller-manager: `['all']`, or some. Default: all if there are nodes,
   * otherwise none. They run in a separate program: faults, crashes and `requests` do not include them. With
   * `serviceaccount-controller` the admission plugin ServiceAccount is on.
   */
  readonly builtin?: readonly string[] | undefined
  /** Simulated nodes with a scheduler: pods go through their life cycle, no containers run. Default 0. */
  readonly nodes?: number | undefined
  /** Whether built-in controllers, scheduler and nodes write events. Default true. */
  readonly builtinEvents?: boolean | undefined
  /** Capacity of each node. Default 8 CPUs, 32 GiB, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>> | undefined
  /**
   * Claims of every storage class get simulated volumes, also of classes that do not exist. Default false: they wait,
   * as on a real cluster.
   */
  readonly anyStorageClass?: boolean | undefined
  /** How pods behave; the first matching rule counts. Default: they start after a second, become ready and run. */
  readonly behaviours?: readonly BehaviourRule[] | undefined
  /**
   * Metrics for autoscalers. Default: annotations of pods, for example `coxswain.dev/cpu: 250m` (see `MetricsSource`),
   * then the metrics API.
   */
  readonly metrics?: MetricsSource | undefined
  /**
   * Serves metrics.k8s.io, with a usage that is derived from requests and annotations of pods (see docs/reference/
   * nodes.md). Default: true if there are nodes.
   */
  readonly metricsApi?: boolean | undefined
  /** Admission and conversion webhooks, called without sockets. Default: none. */
  readonly webhooks?: readonly Webhook[] | undefined
  /** CRDs to install besides those of the controllers' kinds. */
  readonly crds?: readonly object[] | undefined
  /** What `logs` has of the program. Default `debug`: everything. */
  readonly logLevel?: LogLevel | undefined
  /** Seed of random numbers and UUIDs. Default 1. */
  readonly seed?: number | undefined
  /**
   * The external systems that the controllers use: `registry.model(…)` for one in memory, or `registry` itself to
   * really call it. A system that is used and not given is an error.
   */
  readonly externals?: readonly TestedExternal[] | undefined
  /**
   * Whether the program may open connections and child processes without declaring an external system. The clock then
   * stands still during requests of fetch and node:http. Default false: they are refused.
   */
  readonly allowSockets?: boolean | undefined
  /** Faults of the controllers' requests and external calls. The test's own client has none. */
  readonly faults?: FaultPlan | undefined
  /** Defaults for `settle`. */
  readonly settle?: SettleOptions | undefined
  /** Wraps the transport of the controllers, below the faults: it sees the requests that arrive. */
  readonly transport?: ((inner: Transport) => Transport) | undefined
  /** Wraps the external calls of the controllers, below the faults. */
  readonly carryOut?: ((inner: CarryOut) => CarryOut) | undefined
  /** Continues from a snapshot: objects, revision and time. No CRDs are installed, and the default seed differs. */
  readonly from?: Snapshot | undefined
  /** Options of the control plane. Cluster IPs are of 10.0.0.0/16 by default, for 65,533 Services. */
  readonly controlPlane?: Omit<ControlPlaneOptions, 'env' | 'store'> | undefined
}
