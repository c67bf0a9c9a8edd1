// The indices of each chart. A chart is left out if the service has none of its indices.
export interface ChartSpec {
  id: string
  indices: readonly string[]
  unit: 'rate' | 'count' | 'millis' | 'bytes' | 'bytesRate' | 'share'
}

export const INDEX_CHARTS: readonly ChartSpec[] = [
  { id: 'rates', indices: ['arrivalPerSecond', 'processedPerSecond', 'errorsPerSecond'], unit: 'rate' },
  { id: 'concurrent', indices: ['concurrentMean', 'concurrentMax', 'processingMean'], unit: 'count' },
  { id: 'response', indices: ['responseP50Millis', 'responseP95Millis', 'responseP99Millis'], unit: 'millis' },
  { id: 'traffic', indices: ['trafficDownBytesPerSecond', 'trafficUpBytesPerSecond'], unit: 'bytesRate' },
  { id: 'hitRatio', indices: ['hitRatio'], unit: 'share' },
  { id: 'cacheBytes', indices: ['cacheBytes'], unit: 'bytes' },
  { id: 'cpu', indices: ['hostCpuUserShare', 'hostCpuKernelShare', 'hostCpuIowaitShare'], unit: 'share' },
  { id: 'memory', indices: ['hostMemoryAvailableBytes'], unit: 'bytes' },
  { id: 'origin', indices: ['originResponseP50Millis'], unit: 'millis' },
  { id: 'trouble', indices: ['synRepeatsPerSecond', 'refusedPerSecond', 'resetsPerSecond', 'originFailuresPerSecond'], unit: 'rate' },
]

/** The components of T_r, and the server's own values beside those from packets. */
export const OUTSIDE_CHARTS: readonly ChartSpec[] = [
  { id: 'outsideHitRatio', indices: ['outsideHitRatio', 'hitRatio', 'outsideTrafficSaved'], unit: 'share' },
  { id: 'packetsAndLog', indices: ['concurrentMean', 'logConcurrentMean'], unit: 'count' },
  { id: 'durations', indices: ['connectionP50Millis', 'logDurationP50Millis'], unit: 'millis' },
  { id: 'split', indices: ['thinkP50Millis', 'acknowledgementP50Millis', 'serverRttP50Millis', 'clientRttP50Millis'], unit: 'millis' },
  { id: 'splitTail', indices: ['thinkP95Millis', 'acknowledgementP95Millis', 'serverRttP95Millis', 'clientRttP95Millis'], unit: 'millis' },
  { id: 'ends', indices: ['timeoutsPerSecond', 'zeroWindowsPerSecond', 'retransmissionsPerSecond'], unit: 'rate' },
]

export const HOST_CHARTS: readonly ChartSpec[] = [
  { id: 'cpu', indices: ['hostCpuUserShare', 'hostCpuKernelShare', 'hostCpuIowaitShare', 'hostCpuStealShare'], unit: 'share' },
  { id: 'load', indices: ['hostLoad1', 'hostLoad5'], unit: 'count' },
  { id: 'memory', indices: ['hostMemoryAvailableBytes', 'serverResidentBytes', 'hostMemoryCachedBytes', 'hostSwapUsedBytes'], unit: 'bytes' },
  { id: 'serverCpu', indices: ['serverCpuCores'], unit: 'count' },
  { id: 'processes', indices: ['serverProcesses', 'serverThreads', 'hostProcesses'], unit: 'count' },
  { id: 'switches', indices: ['hostContextSwitchesPerSecond', 'serverContextSwitchesPerSecond', 'hostInterruptsPerSecond'], unit: 'rate' },
  { id: 'calls', indices: ['hostSystemCallsPerSecond', 'hostReadWriteCallsPerSecond', 'serverReadWriteCallsPerSecond'], unit: 'rate' },
  { id: 'faults', indices: ['hostMajorFaultsPerSecond', 'serverMajorFaultsPerSecond', 'hostMinorFaultsPerSecond', 'serverMinorFaultsPerSecond'], unit: 'rate' },
  { id: 'pressure', indices: ['hostPressureCpuPercent', 'hostPressureMemoryPercent', 'hostPressureIoPercent'], unit: 'count' },
  { id: 'queue', indices: ['acceptQueue', 'acceptQueueLimit'], unit: 'count' },
  { id: 'overflows', indices: ['listenOverflowsPerSecond', 'listenDropsPerSecond', 'hostSynCookiesPerSecond'], unit: 'rate' },
  { id: 'sockets', indices: ['hostSockets', 'hostTimeWaitSockets', 'hostOrphanSockets'], unit: 'count' },
  { id: 'files', indices: ['serverOpenFiles'], unit: 'count' },
  { id: 'limits', indices: ['openFilesShare', 'hostOpenFilesShare', 'hostTcpMemoryShare', 'hostInterfaceShare'], unit: 'share' },
  { id: 'disk', indices: ['hostDiskWaitMillis'], unit: 'millis' },
  { id: 'bounds', indices: ['groupCpuUsedShare', 'groupThrottledShare', 'groupMemoryUsedShare', 'ephemeralPortShare', 'hostShapedShare'], unit: 'share' },
  { id: 'waits', indices: ['serverCpuWaitingThreads', 'serverBlockedThreads'], unit: 'count' },
]

/** The charts of a Komainu proxy, from its own windows. */
export const CACHE_CHARTS: readonly ChartSpec[] = [
  { id: 'hitRatio', indices: ['hitRatio'], unit: 'share' },
  { id: 'cacheOutcomes', indices: ['freshHitsPerSecond', 'missesPerSecond', 'staleHitsPerSecond', 'passesPerSecond'], unit: 'rate' },
  { id: 'cacheTraffic', indices: ['sentBytesPerSecond', 'fetchedBytesPerSecond'], unit: 'bytesRate' },
  { id: 'rates', indices: ['arrivalPerSecond', 'processedPerSecond', 'errorsPerSecond'], unit: 'rate' },
  { id: 'cacheTimes', indices: ['responseP50Millis', 'originResponseP50Millis'], unit: 'millis' },
  { id: 'cacheBytes', indices: ['cacheBytes'], unit: 'bytes' },
  { id: 'cacheObjects', indices: ['cacheObjects'], unit: 'count' },
  { id: 'evictions', indices: ['evictionsPerSecond'], unit: 'rate' },
  { id: 'clients', indices: ['clientConnections', 'idleClientConnections'], unit: 'count' },
  { id: 'cacheTrouble', indices: ['originFailuresPerSecond', 'refusedConnectionsPerSecond'], unit: 'rate' },
]

/** The charts of a proxy's management: pools, peak and disk tier, idle connections, socket buffers. */
export const MANAGEMENT_CHARTS: readonly ChartSpec[] = [
  { id: 'poolBytes', indices: ['protectedPoolBytes', 'protectedPoolTargetBytes', 'normalPoolBytes'], unit: 'bytes' },
  { id: 'poolHitRatio', indices: ['protectedPoolHitRatio', 'normalPoolHitRatio'], unit: 'share' },
  { id: 'poolUnreferenced', indices: ['protectedPoolUnreferencedBytes', 'normalPoolUnreferencedBytes'], unit: 'bytes' },
  { id: 'peak', indices: ['peakShare'], unit: 'share' },
  { id: 'diskTier', indices: ['diskTierHitsPerSecond', 'diskTierNotReadPerSecond', 'diskTierWritesPerSecond'], unit: 'rate' },
  { id: 'diskTierBytes', indices: ['diskTierBytes', 'diskTierProtectedBytes'], unit: 'bytes' },
  { id: 'clients', indices: ['clientConnections', 'idleClientConnections'], unit: 'count' },
  { id: 'bufferBytes', indices: ['buffersInUseBytes', 'buffersIdleBytes', 'bufferBudgetBytes'], unit: 'bytes' },
  { id: 'bufferWaits', indices: ['bufferWaits'], unit: 'count' },
]
