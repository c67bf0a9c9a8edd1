package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.diagnosis.Architecture;
import dev.komainu.central.indices.PartFault;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.state.UnobservableState;
import dev.komainu.central.union.SeenViews;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code ServiceDetail} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record ServiceDetailView(
        @JsonUnwrapped ServiceView service,
        @Nullable String program,
        @Nullable Long processId,
        List<Setting> settings,
        Map<String, Long> stateCounts,
        List<TransitionCount> transitionCounts,
        List<String> reportedBy,
        @Nullable ViewsOfSources views,
        List<UnobservableState> blind,
        @Nullable HostNow host,
        Architecture architecture) {

    /** The number of transitions from one state to another in the last 24 hours. */
    record TransitionCount(ServiceState from, ServiceState to, int count, String lastCause) {}

    /** {@code HostNow} of the contract. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record HostNow(
            String node,
            Instant at,
            List<HostSample.CpuShare> cpus,
            long memoryTotalBytes,
            long memoryAvailableBytes,
            int processes,
            int threads,
            double load1,
            @Nullable Server server,
            @Nullable HostPartsView parts) {

        static HostNow of(HostSample sample, List<PartFault> faults, String service) {
            Server server = sample.servers().stream()
                    .filter(processes -> processes.service().equals(service))
                    .findFirst()
                    .map(Server::of)
                    .orElse(null);
            return new HostNow(
                    sample.node(),
                    Instant.ofEpochMilli(sample.atMicros() / 1_000),
                    sample.resources().cpus(),
                    sample.resources().memory().total(),
                    sample.resources().memory().available(),
                    sample.totals().processes(),
                    sample.totals().threads(),
                    sample.totals().load1(),
                    server,
                    HostPartsView.of(sample, faults));
        }
    }

    /** The watched server's own share of its host. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Server(
            int processes,
            int threads,
            long residentBytes,
            double cpuCores,
            @Nullable Long openFiles,
            @Nullable Long openFilesLimit,
            @Nullable Long acceptQueue,
            @Nullable Long acceptQueueLimit) {

        static Server of(HostSample.ServerProcesses s) {
            return new Server(
                    s.use().processes(),
                    s.use().threads(),
                    s.use().residentBytes(),
                    s.use().cpuCores(),
                    s.files().openFiles(),
                    s.files().openFilesLimit(),
                    s.queue().acceptQueue(),
                    s.queue().acceptQueueLimit());
        }
    }

    static ServiceDetailView of(
            ServiceAssessment service,
            Map<ServiceState, Long> seconds,
            List<StateHistory.Count> counts,
            @Nullable SeenViews views,
            List<UnobservableState> blind,
            @Nullable HostSample sample,
            List<PartFault> faults,
            Architecture architecture) {
        Map<String, Long> stateCounts = new LinkedHashMap<>();
        seconds.forEach((state, spent) -> stateCounts.put(state.label(), spent));
        return new ServiceDetailView(
                ServiceView.of(service),
                service.profile().program(),
                service.profile().processId(),
                service.profile().settings(),
                stateCounts,
                counts.stream()
                        .map(c -> new TransitionCount(
                                c.from(), c.to(), c.count(), c.lastCause().en()))
                        .toList(),
                service.profile().reportedBy().stream().sorted().toList(),
                ViewsOfSources.of(views),
                blind,
                sample == null
                        ? null
                        : HostNow.of(sample, faults, service.profile().id()),
                architecture);
    }
}
