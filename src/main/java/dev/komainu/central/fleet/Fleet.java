package dev.komainu.central.fleet;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.SourceStatus;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The servers and sources known now. Two probes on one server are one service: they meet at its
 * addresses.
 *
 * <p>All state is guarded by this object's lock; listeners are called outside of it.
 */
public final class Fleet {

    /**
     * Seconds without a report after which a source counts as silent. It reports every ten seconds:
     * three reports are missing then.
     */
    public static final int SILENT_SECONDS = 30;

    /** Hours without a sighting or report after which a service is removed from the list. */
    public static final int FORGET_HOURS = 24;

    private final FleetTable table;
    private final Clock clock;
    private final FleetQuotas quotas;
    private final List<FleetListener> listeners = new CopyOnWriteArrayList<>();
    private final Aliases aliases;
    private final Map<String, ServiceProfile> services = new LinkedHashMap<>();
    private final Map<String, SourceReport> sources = new LinkedHashMap<>();
    private final Map<String, ReportedSettings> settings = new HashMap<>();
    private final Map<String, LabelsBySource> labels = new HashMap<>();

    /** Creates a fleet with the default limits. */
    public Fleet(FleetTable table, Clock clock) {
        this(table, clock, new FleetQuotas(FleetSettings.USUAL));
    }

    /** Creates a fleet with what the table contains, within the limits. */
    public Fleet(FleetTable table, Clock clock, FleetQuotas quotas) {
        this.table = table;
        this.clock = clock;
        this.quotas = quotas;
        aliases = new Aliases(quotas.services().most());
        for (FleetTable.StoredService stored : table.services(quotas.services().most())) {
            ServiceProfile service = stored.profile();
            services.put(service.id(), service);
            aliases.learn(service.id(), service.addresses(), service.node());
            quotas.services().restore(service.id(), stored.credential(), service.lastSeenMicros());
        }
        table.sources(quotas.sources().most()).forEach((name, report) -> {
            sources.put(name, report);
            quotas.sources().restore(name, report.credential(), report.atMicros());
        });
    }

    public void listen(FleetListener listener) {
        listeners.add(listener);
    }

    /**
     * Accepts a sighting of a server: a source sends one at its start, on change and every five
     * minutes.
     */
    public void sighted(String source, ServiceSighting sighting) {
        List<Runnable> news = new ArrayList<>();
        synchronized (this) {
            String proxy = sighting.originSideOf();
            if (proxy != null) {
                aliases.alias(
                        sighting.service(),
                        OriginSide.of(aliases.canonical(proxy, nodeOf(source))));
            }
            String id = identify(sighting, nodeOf(source));
            ServiceProfile before = services.get(id);
            ReportedSettings reported = settings.computeIfAbsent(
                    id,
                    name -> new ReportedSettings(
                            before == null ? List.of() : before.settings(), nowMicros()));
            List<ReportedSettings.Difference> differences =
                    reported.replace(source, sighting.settings(), nowMicros());
            LabelsBySource labelled = labels.computeIfAbsent(
                    id, name -> new LabelsBySource(before == null ? List.of() : before.labels()));
            labelled.replace(source, sighting.labels(), sighting.node() != null);
            ServiceProfile after =
                    merge(id, before, source, sighting, reported.all(), labelled.all());
            services.put(id, after);
            String node = after.node() == null ? nodeOf(source) : after.node();
            if (before != null) {
                // A virtual address may have moved to another host.
                aliases.unlearn(id, before.addresses(), node);
            }
            aliases.learn(id, after.addresses(), node);
            save(after);
            if (before != null && speaksForConfiguration(before, sighting)) {
                compare(before, after, sighting.atMicros(), news);
                differences.forEach(
                        difference -> publish(id, difference, sighting.atMicros(), news));
            }
        }
        news.forEach(Runnable::run);
    }

    /** Accepts a source's own status report. */
    public synchronized void reported(String source, SourceStatus status) {
        SourceReport report =
                new SourceReport(status, nowMicros(), quotas.sources().owner(source));
        sources.put(source, report);
        table.save(source, report);
    }

    /** Records that data of this source arrived, so that it does not count as silent. */
    public synchronized void recordActivity(String source) {
        sources.computeIfPresent(source, (name, report) -> report.at(nowMicros()));
    }

    /** Notes a window of a service, and adds the service when no sighting has reported it yet. */
    public synchronized String recordWindow(String source, String service, long atMicros) {
        String id = aliases.canonical(service, nodeOf(source));
        ServiceProfile known = services.get(id);
        if (known == null) {
            Endpoint endpoint = Aliases.endpoint(id);
            List<Endpoint> addresses = endpoint == null ? List.of() : List.of(endpoint);
            known = new ServiceProfile(
                    id,
                    null,
                    id,
                    "other",
                    null,
                    addresses,
                    null,
                    null,
                    List.of(),
                    Set.of(source),
                    atMicros,
                    atMicros);
            aliases.learn(id, addresses, nodeOf(source));
            save(known);
        }
        services.put(id, touched(known, source, atMicros));
        return id;
    }

    /** Returns the canonical id of a server, which is the key of all its data. */
    public synchronized String canonical(String source, String service) {
        return aliases.canonical(service, nodeOf(source));
    }

    /**
     * Returns every name under which this service was or may be reported: its id, earlier ids, its
     * addresses.
     */
    public synchronized Set<String> names(String id) {
        Set<String> names = new LinkedHashSet<>();
        names.add(id);
        names.addAll(aliases.namesOf(id));
        return names;
    }

    /**
     * Returns the services known now, in the order of their first sighting; services not seen for a
     * day are removed first.
     */
    public synchronized List<ServiceProfile> services() {
        long oldest = nowMicros() - FORGET_HOURS * 3_600_000_000L;
        List<String> gone = services.values().stream()
                .filter(service -> service.lastSeenMicros() < oldest)
                .map(ServiceProfile::id)
                .toList();
        for (String id : gone) {
            services.remove(id);
            settings.remove(id);
            labels.remove(id);
            aliases.forget(id);
            table.remove(id);
        }
        quotas.services().retain(services.keySet(), oldest);
        return List.copyOf(services.values());
    }

    /** Returns a service by its canonical id or by any earlier id; null when it is unknown. */
    public synchronized @Nullable ServiceProfile service(String id) {
        return services.get(aliases.canonical(id, null));
    }

    /**
     * Returns the id of the service at an address, as a program of a node reaches it; null when no
     * known service has it.
     */
    public synchronized @Nullable String serviceAt(String address, @Nullable String node) {
        String id = aliases.canonical(address, node);
        return services.containsKey(id) ? id : null;
    }

    /** Reports whether a source's name of a service means a known service. */
    public synchronized boolean knows(String source, String service) {
        return services.containsKey(aliases.canonical(service, nodeOf(source)));
    }

    private void save(ServiceProfile service) {
        table.save(service, quotas.services().owner(service.id()));
    }

    /**
     * Returns the sources that sent a status, in the order of their first report; sources without a
     * batch for {@link FleetSettings#forgetSourcesAfter} are removed first.
     */
    public synchronized List<SourceProfile> sources() {
        long forgotten = nowMicros() - quotas.settings().forgetSourcesAfter().toMillis() * 1_000;
        List<String> gone = sources.entrySet().stream()
                .filter(source -> source.getValue().atMicros() < forgotten)
                .map(Map.Entry::getKey)
                .toList();
        for (String name : gone) {
            sources.remove(name);
            table.removeSource(name);
        }
        quotas.sources().retain(sources.keySet(), forgotten);
        quotas.hosts().retain(Set.of(), forgotten);
        long oldest = silentBefore();
        List<SourceProfile> all = new ArrayList<>();
        sources.forEach((name, report) -> all.add(new SourceProfile(
                name, report.status(), report.atMicros(), report.atMicros() < oldest)));
        return all;
    }

    /** Returns the nodes with an agent that is not silent. */
    public synchronized Set<String> nodesOfAgents() {
        long oldest = silentBefore();
        Set<String> nodes = new HashSet<>();
        for (SourceReport report : sources.values()) {
            if (report.atMicros() >= oldest && report.status().kind() == SourceStatus.Kind.AGENT) {
                nodes.add(report.status().node());
            }
        }
        return nodes;
    }

    /**
     * Finds the service of this sighting; a local agent's name replaces a name learned from
     * traffic.
     */
    private String identify(ServiceSighting sighting, @Nullable String node) {
        String id = aliases.canonical(sighting.service(), node);
        if (services.containsKey(id) && sighting.node() == null) {
            return id;
        }
        String own = sighting.node() == null ? node : sighting.node();
        for (Endpoint address : sighting.addresses()) {
            String owner = aliases.owner(address, own);
            if (owner == null || owner.equals(sighting.service())) {
                continue;
            }
            ServiceProfile other = services.get(owner);
            if (other == null || sighting.node() == null) {
                return owner;
            }
            if (other.node() == null) {
                adopt(other, sighting.service());
            } else if (Objects.equals(other.node(), sighting.node())) {
                return owner;
            }
        }
        return services.containsKey(id) ? id : sighting.service();
    }

    private void adopt(ServiceProfile learnt, String id) {
        services.remove(learnt.id());
        table.remove(learnt.id());
        aliases.rename(learnt.id(), id);
        ServiceProfile originSide = services.get(OriginSide.of(learnt.id()));
        if (originSide != null) {
            adopt(originSide, OriginSide.of(id));
        }
        services.putIfAbsent(
                id,
                new ServiceProfile(
                        id,
                        null,
                        learnt.name(),
                        learnt.kind(),
                        learnt.version(),
                        learnt.addresses(),
                        learnt.processId(),
                        learnt.program(),
                        learnt.settings(),
                        learnt.reportedBy(),
                        learnt.firstSeenMicros(),
                        learnt.lastSeenMicros(),
                        learnt.labels()));
    }

    private static ServiceProfile merge(
            String id,
            @Nullable ServiceProfile before,
            String source,
            ServiceSighting sighting,
            List<Setting> settings,
            List<ReportedLabel> labels) {
        Set<Endpoint> addresses = new LinkedHashSet<>(sighting.addresses());
        Set<String> by = new LinkedHashSet<>();
        if (before != null) {
            if (sighting.node() == null) {
                // A source beside the server knows all its addresses, including those it no longer
                // has.
                addresses.addAll(before.addresses());
            }
            by.addAll(before.reportedBy());
        }
        by.add(source);
        boolean speaks = before == null || speaksForConfiguration(before, sighting);
        ServiceProfile profile = before;
        if (speaks || profile == null) {
            boolean named = !sighting.kind().equals("other") || profile == null;
            return new ServiceProfile(
                    id,
                    sighting.node() == null && profile != null ? profile.node() : sighting.node(),
                    named || profile == null ? sighting.name() : profile.name(),
                    named || profile == null ? sighting.kind() : profile.kind(),
                    sighting.version() == null && profile != null
                            ? profile.version()
                            : sighting.version(),
                    List.copyOf(addresses),
                    sighting.process().processId() == null && profile != null
                            ? profile.processId()
                            : sighting.process().processId(),
                    sighting.process().program() == null && profile != null
                            ? profile.program()
                            : sighting.process().program(),
                    settings,
                    by,
                    profile == null ? sighting.atMicros() : profile.firstSeenMicros(),
                    Math.max(sighting.atMicros(), profile == null ? 0 : profile.lastSeenMicros()),
                    labels);
        }
        return new ServiceProfile(
                id,
                profile.node(),
                profile.name(),
                profile.kind(),
                profile.version(),
                List.copyOf(addresses),
                profile.processId(),
                profile.program(),
                settings,
                by,
                profile.firstSeenMicros(),
                Math.max(profile.lastSeenMicros(), sighting.atMicros()),
                labels);
    }

    /**
     * Reports whether a sighting is the better one for the configuration: an agent beside the
     * server, or a source that names its kind, goes before a probe that sees only packets.
     */
    private static boolean speaksForConfiguration(ServiceProfile before, ServiceSighting sighting) {
        return sighting.node() != null
                || (before.node() == null && sighting.atMicros() >= before.lastSeenMicros());
    }

    private void compare(
            ServiceProfile before, ServiceProfile after, long atMicros, List<Runnable> news) {
        Long oldProcess = before.processId();
        Long newProcess = after.processId();
        if (oldProcess != null && newProcess != null && !oldProcess.equals(newProcess)) {
            listeners.forEach(l -> news.add(() -> l.restarted(after.id(), atMicros)));
        }
    }

    private void publish(
            String id, ReportedSettings.Difference difference, long atMicros, List<Runnable> news) {
        Setting before = difference.before();
        Setting after = difference.after();
        Setting named = after != null ? after : Objects.requireNonNull(before);
        FleetListener.SettingChange change = new FleetListener.SettingChange(
                id,
                named.name(),
                before == null ? null : before.value(),
                after == null ? null : after.value(),
                named.source(),
                atMicros);
        listeners.forEach(l -> news.add(() -> l.settingChanged(change)));
    }

    private static ServiceProfile touched(ServiceProfile known, String source, long atMicros) {
        if (atMicros <= known.lastSeenMicros() && known.reportedBy().contains(source)) {
            return known;
        }
        Set<String> by = known.reportedBy();
        if (!by.contains(source)) {
            by = new LinkedHashSet<>(by);
            by.add(source);
        }
        return new ServiceProfile(
                known.id(),
                known.node(),
                known.name(),
                known.kind(),
                known.version(),
                known.addresses(),
                known.processId(),
                known.program(),
                known.settings(),
                by,
                known.firstSeenMicros(),
                Math.max(atMicros, known.lastSeenMicros()),
                known.labels());
    }

    private @Nullable String nodeOf(String source) {
        SourceReport report = sources.get(source);
        if (report != null) {
            return report.status().node();
        }
        int at = source.indexOf('@');
        return at < 0 ? null : source.substring(at + 1);
    }

    /** Returns the time before which the last report of a silent source lies. */
    private long silentBefore() {
        return nowMicros() - SILENT_SECONDS * 1_000_000L;
    }

    private long nowMicros() {
        return clock.millis() * 1_000;
    }

    /**
     * Handles a clock that was set back: without this a source that falls silent would be detected
     * only after the clock has caught up.
     */
    public synchronized void setBack() {
        long now = nowMicros();
        sources.replaceAll((name, report) -> report.atMicros() > now ? report.at(now) : report);
    }

    /**
     * A source's status and the time of its last report.
     *
     * @param atMicros by this service's clock
     * @param credential the credential that used the source's name first; absent when unknown
     */
    public record SourceReport(
            SourceStatus status, long atMicros, @Nullable String credential) {

        SourceReport at(long newMicros) {
            return new SourceReport(status, newMicros, credential);
        }
    }
}
