package dev.komainu.agent;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.Discovery;
import dev.komainu.agent.discovery.DiscoverySettings;
import dev.komainu.agent.discovery.HostAddresses;
import dev.komainu.agent.host.HostProbe;
import dev.komainu.agent.host.HostSampler;
import dev.komainu.agent.host.WatchedServer;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The half that looks inside: discovery and host samples. The agent's thread only. */
final class HostTask implements AutoCloseable {

    private final AgentSettings settings;
    private final RecordSink sink;
    private final WatchedServices watched;
    private final TaskProblems troubles;
    private final Discovery discovery;
    private final HostSampler sampler;
    private final AccessLogTask accessLogs;
    private List<ServiceSighting> toldSides = List.of();
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
    }

    /** A cheap look; new and changed servers are told at once. */
    void look() {
        take(discovery.scan(), false);
    }

    /** Reads every setting anew and tells every server again. */
    void lookAgain() {
        take(discovery.rescan(), true);
    }

    /** Reads every setting anew, tells what differs, and gives the servers as they are now. */
    List<DiscoveredServer> lookNow() {
        take(discovery.rescan(), false);
        return servers;
    }

    /** Tells every server as it was last seen. */
    void tellAgain() {
        long now = EpochMicros.now();
        servers.forEach(server -> sink.accept(server.sighting(now)));
        tellOriginSides(true, now);
    }

    /** Reads what servers logged meanwhile. */
    void readLogs() {
        accessLogs.look();
    }

    boolean followsLogs() {
        return accessLogs.follows();
    }

    /** What reading logs left out since the start. */
    List<SourceStatus.Drops> drops() {
        return accessLogs.drops();
    }

    /** The origin sides of this host's proxies, when they are others than before. */
    private void tellOriginSides(boolean all, long now) {
        watched.proxies().update(servers, watched::idOf, settings.node(), now);
        List<ServiceSighting> sides = watched.proxies().sightings();
        boolean changed = !sides.stream()
                .map(HostTask::timeless)
                .toList()
                .equals(toldSides.stream().map(HostTask::timeless).toList());
        if (all || changed) {
            sides.forEach(sink::accept);
        }
        toldSides = sides;
    }

    private static List<Object> timeless(ServiceSighting side) {
        return List.of(side.service(), side.name(), side.settings());
    }

    private void take(Discovery.Scan look, boolean tellAll) {
        if (!tellAll && look.isQuiet() && servers.equals(look.servers())) {
            // As before; only this host's addresses and names of others may mean something else by
            // now.
            watchGivenPorts();
            tellOriginSides(false, EpochMicros.now());
            return;
        }
        servers = look.servers();
        watchedServers = servers.stream().map(DiscoveredServer::watched).toList();
        watchGivenPorts();
        watched.update(servers);
        long now = EpochMicros.now();
        (tellAll ? servers : look.changed()).forEach(server -> sink.accept(server.sighting(now)));
        tellOriginSides(tellAll, now);
        accessLogs.update(servers);
        look.gone()
                .forEach(service -> System.err.println("agent: " + service + " no longer listens"));
        if (servers.stream().anyMatch(server -> server.processId() == null)) {
            troubles.set(
                    "processes",
                    "no-process-permission",
                    "Processes of other users cannot be looked into: kind, version and counts of some servers are missing",
                    "sudo ./komainu agent");
        } else {
            troubles.clear("processes");
        }
        tellProblems(look.problems());
    }

    /**
     * What stands in configurations and could not be read or understood: the first of them, and how
     * many there are.
     */
    private void tellProblems(List<String> problems) {
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
     * Given ports are watched on this host also while nothing listens there: a stopped server's
     * refusals are its own.
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

    /** Tells what the kernel says; the first call only remembers and answers null. */
    @Nullable
    HostSample sample() {
        HostSample sample = sampler.sample(watchedServers, systemCalls);
        if (sample != null) {
            sink.accept(sample);
        }
        return sample;
    }

    /**
     * Begins to count system calls; false where the kernel does not let us, which is said once and
     * not tried again.
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

    /** Ends counting; the rate is told with the samples that follow. */
    void endCountingCalls() {
        systemCalls = calls.stop();
    }

    @Override
    public void close() {
        accessLogs.close();
        calls.close();
        sampler.close();
        discovery.close();
    }
}
