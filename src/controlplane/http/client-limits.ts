/** What clients may use of a listener. */

export interface ClientLimits {
  /** Connections at a time. Beyond it, a connection of the user with the most connections is closed. Default 4,096. */
  readonly maxConnections: number
  /** Requests in flight of one user, without watches. Beyond it: 429. Default 1,000. */
  readonly maxRequestsPerUser: number
  /** Watches and followed logs of one user. Beyond it: 429. Default 1,000. */
  readonly maxWatchesPerUser: number
  /** Output that clients have not read yet, in all. Beyond it, the connection with most of it is closed. 48 MiB. */
  readonly maxBufferedBytes: number
  /** The same for one user. A user close to it gets 429 for further requests. Default 24 MiB. */
  readonly maxBufferedBytesPerUser: number
  /** A client that reads nothing of a response for this time is disconnected. Not for watches. Default one minute. */
  readonly unreadTimeoutMs: number
}

export const defaultClientLimits: ClientLimits = {
  maxConnections: 4096,
  maxRequestsPerUser: 1000,
  maxWatchesPerUser: 1000,
  maxBufferedBytes: 48 * 1024 * 1024,
  maxBufferedBytesPerUser: 24 * 1024 * 1024,
  unreadTimeoutMs: 60_000,
}
