// Which indices share a chart. A chart whose indices this service does not have is left out.
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

export const HOST_CHARTS: readonly ChartSpec[] = [
  { id: 'cpu', indices: ['hostCpuUserShare', 'hostCpuKernelShare', 'hostCpuIowaitShare'], unit: 'share' },
  { id: 'memory', indices: ['hostMemoryAvailableBytes', 'serverResidentBytes'], unit: 'bytes' },
  { id: 'serverCpu', indices: ['serverCpuCores'], unit: 'count' },
  { id: 'processes', indices: ['serverProcesses', 'serverThreads', 'hostProcesses'], unit: 'count' },
  { id: 'switches', indices: ['hostContextSwitchesPerSecond'], unit: 'rate' },
  { id: 'faults', indices: ['hostMajorFaultsPerSecond'], unit: 'rate' },
  { id: 'queue', indices: ['acceptQueue'], unit: 'count' },
  { id: 'overflows', indices: ['listenOverflowsPerSecond'], unit: 'rate' },
  { id: 'files', indices: ['serverOpenFiles'], unit: 'count' },
]
