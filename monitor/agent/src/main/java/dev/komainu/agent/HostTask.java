package dev.komainu.agent;

import dev.komainu.agent.accesslog.ResponseCounts;
import dev.komainu.agent.discovery.Departures;
import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.Discovery;
import dev.komainu.agent.discovery.DiscoverySettings;
import dev.komainu.agent.discovery.HostAddresses;
import dev.komainu.agent.host.HostProbe;
import dev.komainu.agent.host.HostSampler;
import dev.komainu.agent.host.PartsSurvey;
import dev.komainu.agent.host.WatchedServer;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.SystemCallCount;
import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.SourceStatus;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Task that observes the host itself: discovery and host samples. The agent's thread only. */
final class HostTask implements AutoCloseable {

    private final AgentSettings settings;
    private final RecordSink sink;
    private final WatchedServices watched;
    private final TaskProblems troubles;
    private final Discovery discovery;
    private final HostSampler sampler;
    private final @Nullable PartsSurvey parts;
    private final Departures departures = new Departures();
    private final AccessLogTask accessLogs;
    private List<ServiceSighting> reportedSides = List.of();
    private final SystemCallCount calls = new SystemCallCount();
    private boolean callsRefused;
    private @Nullable Double systemCalls;
    private List<DiscoveredServer> servers = List.of();
    private List<WatchedServer> watchedServers = List.of();

    HostTask(
            AgentSettings settings,
            RecordSink sink,
            WatchedServices watched,
            TaskProblems troubles) {
        this.settings = settings;
        this.sink = sink;
        this.watched = watched;
        this.troubles = troubles;
        this.discovery = new Discovery(
                settings.node(), new DiscoverySettings(settings.ports(), settings.alsoPorts()));
        this.accessLogs = new AccessLogTask(settings.outside(), sink, troubles, EpochMicros::now);
        this.sampler = new HostSampler(settings.node(), HostProbe.ofThisSystem());
        this.parts = ProcFiles.ofThisHost().exists()
                ? new PartsSurvey(settings.host().asksDisks())
                : null;
        if (parts != null) {
            parts.start();
        }
    }

    /**
     * Makes a cheap check; new and changed servers are reported at once.
     *
     * @return ids of servers that no longer listen since the last check
     */
    List<String> check() {
        Discovery.Scan look = discovery.scan();
        apply(look, false);
        return look.gone();
    }

    /** Reads every setting again and reports every server again. */
    void recheckAll() {
        apply(discovery.rescan(), true);
    }

    /** Reads every setting again, reports the differences, and returns the current servers. */
    List<DiscoveredServer> recheckNow() {
        apply(discovery.rescan(), false);
        return servers;
    }

    /** Reports every server in its last known state. */
    void reportAll() {
        long now = EpochMicros.now();
        servers.forEach(server -> sink.accept(sighting(server, now)));
        reportOriginSides(true, now);
    }

    /**
     * Reads the new lines of the servers' logs.
     *
     * @return services of which many of the new responses failed
     */
    List<String> readLogs() {
        return accessLogs.poll();
    }

    /** Returns the parts of the host that changed since the last call. */
    List<String> changedParts() {
        return parts == null ? List.of() : parts.takeNoticed();
    }

    boolean followsLogs() {
        return accessLogs.follows();
    }

    /** Returns the counts of log data left out since the start. */
    List<SourceStatus.Drops> drops() {
        return accessLogs.drops();
    }

    /** Reports the origin sides of this host's proxies, when they have changed. */
    private void reportOriginSides(boolean all, long now) {
        watched.proxies().update(servers, watched::idOf, settings.node(), now);
        List<ServiceSighting> sides = watched.proxies().sightings();
        boolean changed = !sides.stream()
                .map(HostTask::timeless)
                .toList()
                .equals(reportedSides.stream().map(HostTask::timeless).toList());
        if (all || changed) {
            sides.forEach(sink::accept);
        }
        reportedSides = sides;
    }

    private ServiceSighting sighting(DiscoveredServer server, long now) {
        ServiceSighting.Setting changes = settings.changes().reported(server.port());
        ServiceSighting sighting = server.sighting(now);
        List<ServiceSighting.ReportedLabel> given = settings.labels().of(server.port());
        if (!given.isEmpty()) {
            // The first label of a key counts: the settings have precedence over discovery.
            sighting = sighting.withLabels(
                    Stream.concat(given.stream(), sighting.labels().stream()).toList());
        }
        return changes == null ? sighting : sighting.with(changes);
    }

    private static List<Object> timeless(ServiceSighting side) {
        return List.of(side.service(), side.name(), side.settings());
    }

    private void apply(Discovery.Scan look, boolean all) {
        if (!all && look.isQuiet() && servers.equals(look.servers())) {
            // The ports are unchanged; only this host's addresses and names of
            // other hosts may have changed.
            watchGivenPorts();
            reportOriginSides(false, EpochMicros.now());
            return;
        }
        servers = look.servers();
        departures.update(servers);
        watchedServers = servers.stream().map(DiscoveredServer::watched).toList();
        watchGivenPorts();
        watched.update(servers);
        long now = EpochMicros.now();
        (all ? servers : look.changed()).forEach(server -> sink.accept(sighting(server, now)));
        reportOriginSides(all, now);
        accessLogs.update(servers);
        look.gone()
                .forEach(service -> System.err.println("agent: " + service + " no longer listens"));
        if (servers.stream().anyMatch(server -> server.processId() == null)) {
            troubles.set(
                    "processes",
                    "no-process-permission",
                    "Processes of other users cannot be read: kind, version and counts of some servers are missing",
                    "sudo ./komainu agent");
        } else {
            troubles.clear("processes");
        }
        reportProblems(look.problems());
    }

    /**
     * Reports the values in configurations that could not be read or understood: the first of them,
     * and their number.
     */
    private void reportProblems(List<String> problems) {
        if (problems.isEmpty()) {
            troubles.clear("configurations");
        } else {
            troubles.set(
                    "configurations",
                    "configuration-not-understood",
                    problems.size() == 1
                            ? problems.getFirst()
                            : problems.getFirst() + " (and " + (problems.size() - 1) + " more)",
                    null);
        }
    }

    /**
     * Watches the configured ports on this host even while no server listens there: the refusals of
     * a stopped server belong to it.
     */
    private void watchGivenPorts() {
        if (settings.ports().isEmpty() && settings.alsoPorts().isEmpty()) {
            return;
        }
        List<InetAddress> own = HostAddresses.now();
        Stream.concat(settings.ports().stream(), settings.alsoPorts().stream())
                .forEach(port -> watched.add(
                        settings.node() + ":" + port,
                        own.stream()
                                .map(address -> Endpoint.of(address.getAddress(), port))
                                .toList()));
    }

    /**
     * Reports the kernel's counters; null on the first call, which only stores them.
     *
     * @param inDoubt whether a state is in doubt
     */
    @Nullable
    HostSample sample(boolean inDoubt) {
        HostSample sample = sampler.sample(watchedServers, systemCalls, inDoubt);
        if (sample == null) {
            return null;
        }
        HostSample complete = withLogged(sample)
                .withDepartures(departures.read(EpochMicros.now()))
                .withParts(parts == null ? null : parts.newest(inDoubt));
        sink.accept(complete);
        return complete;
    }

    private HostSample withLogged(HostSample sample) {
        Map<String, ResponseCounts> logged = accessLogs.takeResponses();
        return logged.isEmpty()
                ? sample
                : sample.withServers(sample.servers().stream()
                        .map(server -> server.withDetails(server.details()
                                .withLogged(rates(
                                        logged.get(server.service()), sample.intervalMicros()))))
                        .toList());
    }

    private static HostSample.@Nullable LoggedResponses rates(
            @Nullable ResponseCounts counts, long intervalMicros) {
        double perSecond = 1e6 / intervalMicros;
        return counts == null
                ? null
                : new HostSample.LoggedResponses(
                        counts.all() * perSecond,
                        counts.serverErrors() * perSecond,
                        counts.unavailable() * perSecond,
                        counts.lostPages() * perSecond);
    }

    /**
     * Begins to count system calls; false where the kernel refuses, which is reported once and not
     * tried again.
     */
    boolean beginCountingCalls() {
        if (!callsRefused && !calls.start()) {
            callsRefused = true;
            System.err.println(
                    "agent: system calls are not counted, read and write calls of watched servers are: "
                            + calls.failureReason());
        }
        return !callsRefused;
    }

    /** Ends counting; the rate is reported with the samples that follow. */
    void endCountingCalls() {
        systemCalls = calls.stop();
    }

    @Override
    public void close() {
        accessLogs.close();
        calls.close();
        sampler.close();
        if (parts != null) {
            parts.close();
        }
        discovery.close();
    }
}
