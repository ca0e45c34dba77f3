/** All known bugs, in the order of docs/explanation/known-operator-bugs.md. */
import { anvil146 } from './bugs/anvil-146.ts'
import { anvil217 } from './bugs/anvil-217.ts'
import { anvil269 } from './bugs/anvil-269.ts'
import { cass330 } from './bugs/cass-330.ts'
import { cassandra398 } from './bugs/cassandra-398.ts'
import { casskop370 } from './bugs/casskop-370.ts'
import { cockroach920 } from './bugs/cockroach-920.ts'
import { cockroach922 } from './bugs/cockroach-922.ts'
import { knative1176 } from './bugs/knative-1176.ts'
import { perconaMongodb434 } from './bugs/percona-mongodb-434.ts'
import { perconaXtradb725 } from './bugs/percona-xtradb-725.ts'
import { perconaXtradb896 } from './bugs/percona-xtradb-896.ts'
import { rabbitmq648 } from './bugs/rabbitmq-648.ts'
import { rabbitmq758 } from './bugs/rabbitmq-758.ts'
import { rabbitmq782 } from './bugs/rabbitmq-782.ts'
import { redis301 } from './bugs/redis-301.ts'
import { tidb4946 } from './bugs/tidb-4946.ts'
import { zookeeper312 } from './bugs/zookeeper-312.ts'
import { zookeeper314 } from './bugs/zookeeper-314.ts'
import { zookeeper410 } from './bugs/zookeeper-410.ts'
import type { KnownBug } from './known-bug.ts'

export const knownBugs: readonly KnownBug[] = [
  rabbitmq782,
  casskop370,
  perconaXtradb896,
  zookeeper312,
  zookeeper314,
  rabbitmq648,
  perconaXtradb725,
  cassandra398,
  rabbitmq758,
  zookeeper410,
  perconaMongodb434,
  cass330,
  knative1176,
  redis301,
  cockroach920,
  cockroach922,
  tidb4946,
  anvil217,
  anvil269,
  anvil146,
]
