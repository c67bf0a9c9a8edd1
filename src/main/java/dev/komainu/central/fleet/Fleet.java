package dev.komainu.central.fleet;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.SourceStatus;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
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
     * A source that said nothing for longer is silent. It reports every ten seconds: three are
     * missing then.
     */
    public static final int SILENT_SECONDS = 30;

    /** A service neither sighted nor reported for longer leaves the list. */
    public static final int FORGET_HOURS = 24;

    private final FleetTable table;
    private final Clock clock;
    private final List<FleetListener> listeners = new CopyOnWriteArrayList<>();
    private final Aliases aliases = new Aliases();
    private final Map<String, ServiceProfile> services = new LinkedHashMap<>();
    private final Map<String, SourceSeen> sources = new LinkedHashMap<>();
    private final Map<String, ReportedSettings> settings = new HashMap<>();

    public Fleet(FleetTable table, Clock clock) {
        this.table = table;
        this.clock = clock;
        for (ServiceProfile service : table.services()) {
            services.put(service.id(), service);
            aliases.learn(service.id(), service.addresses(), service.node());
        }
        table.sources().forEach(sources::put);
    }

    public void listen(FleetListener listener) {
        listeners.add(listener);
    }

    /** A source told of a server, at its start, on change and every five minutes. */
    public void sighted(String source, ServiceSighting sighting) {
        List<Runnable> news = new ArrayList<>();
        synchronized (this) {
            String proxy = sighting.originSideOf();
            if (proxy != null) {
                aliases.alias(
                        sighting.service(),
                        OriginSide.of(aliases.canonical(proxy, nodeOf(source))));
            }
            String id = meet(sighting, nodeOf(source));
            ServiceProfile before = services.get(id);
            ReportedSettings told = settings.computeIfAbsent(
                    id,
                    name -> new ReportedSettings(
                            before == null ? List.of() : before.settings(), nowMicros()));
            List<ReportedSettings.Difference> differences =
                    told.tell(source, sighting.settings(), nowMicros());
            ServiceProfile after = merge(id, before, source, sighting, told.all());
            services.put(id, after);
            String node = after.node() == null ? nodeOf(source) : after.node();
            if (before != null) {
                // A virtual address may have moved to another host.
                aliases.unlearn(id, before.addresses(), node);
            }
            aliases.learn(id, after.addresses(), node);
            table.save(after);
            if (before != null && speaksForConfiguration(before, sighting)) {
                compare(before, after, sighting.atMicros(), news);
                differences.forEach(difference -> tell(id, difference, sighting.atMicros(), news));
            }
        }
        news.forEach(Runnable::run);
    }

    /** A source told how it fares. */
    public synchronized void reported(String source, SourceStatus status) {
        SourceSeen seen = new SourceSeen(status, nowMicros());
        sources.put(source, seen);
        table.save(source, seen);
    }

    /** Anything of this source arrived; keeps it from being called silent. */
    public synchronized void heard(String source) {
        sources.computeIfPresent(
                source, (name, seen) -> new SourceSeen(seen.status(), nowMicros()));
    }

    /** Notes a window of a service, and adds the service when no sighting has reported it yet. */
    public synchronized String seen(String source, String service, long atMicros) {
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
            table.save(known);
        }
        services.put(id, touched(known, source, atMicros));
        return id;
    }

    /** The id everything about this server is kept under. */
    public synchronized String canonical(String source, String service) {
        return aliases.canonical(service, nodeOf(source));
    }

    /**
     * Every name this service was or may be reported under: its id, ids it had before, its
     * addresses.
     */
    public synchronized Set<String> names(String id) {
        Set<String> names = new LinkedHashSet<>();
        names.add(id);
        names.addAll(aliases.namesOf(id));
        return names;
    }

    /** Services known now, in the order they were met; those not seen for a day have left. */
    public synchronized List<ServiceProfile> services() {
        long oldest = nowMicros() - FORGET_HOURS * 3_600_000_000L;
        List<String> gone = services.values().stream()
                .filter(service -> service.lastSeenMicros() < oldest)
                .map(ServiceProfile::id)
                .toList();
        for (String id : gone) {
            services.remove(id);
            settings.remove(id);
            aliases.forget(id);
            table.remove(id);
        }
        return List.copyOf(services.values());
    }

    /** A service by its canonical id or by any id it was ever called. */
    public synchronized @Nullable ServiceProfile service(String id) {
        return services.get(aliases.canonical(id, null));
    }

    public synchronized List<SourceProfile> sources() {
        long oldest = nowMicros() - SILENT_SECONDS * 1_000_000L;
        List<SourceProfile> all = new ArrayList<>();
        sources.forEach((name, seen) -> all.add(
                new SourceProfile(name, seen.status(), seen.atMicros(), seen.atMicros() < oldest)));
        return all;
    }

    /** Sources that run on this node and are not silent. */
    public boolean agentReports(String node) {
        return sources().stream()
                .anyMatch(source -> !source.silent()
                        && source.status().kind() == SourceStatus.Kind.AGENT
                        && source.status().node().equals(node));
    }

    /**
     * Finds the service this sighting speaks of; a local agent's name replaces one learnt from
     * traffic.
     */
    private String meet(ServiceSighting sighting, @Nullable String node) {
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
                        learnt.lastSeenMicros()));
    }

    private static ServiceProfile merge(
            String id,
            @Nullable ServiceProfile before,
            String source,
            ServiceSighting sighting,
            List<Setting> settings) {
        Set<Endpoint> addresses = new LinkedHashSet<>(sighting.addresses());
        Set<String> by = new LinkedHashSet<>();
        if (before != null) {
            if (sighting.node() == null) {
                // Who stands beside the server knows all its addresses, and which it has no more.
                addresses.addAll(before.addresses());
            }
            by.addAll(before.reportedBy());
        }
        by.add(source);
        boolean speaks = before == null || speaksForConfiguration(before, sighting);
        ServiceProfile told = before;
        if (speaks || told == null) {
            boolean named = !sighting.kind().equals("other") || told == null;
            return new ServiceProfile(
                    id,
                    sighting.node() == null && told != null ? told.node() : sighting.node(),
                    named || told == null ? sighting.name() : told.name(),
                    named || told == null ? sighting.kind() : told.kind(),
                    sighting.version() == null && told != null
                            ? told.version()
                            : sighting.version(),
                    List.copyOf(addresses),
                    sighting.processId() == null && told != null
                            ? told.processId()
                            : sighting.processId(),
                    sighting.program() == null && told != null
                            ? told.program()
                            : sighting.program(),
                    settings,
                    by,
                    told == null ? sighting.atMicros() : told.firstSeenMicros(),
                    Math.max(sighting.atMicros(), told == null ? 0 : told.lastSeenMicros()));
        }
        return new ServiceProfile(
                id,
                told.node(),
                told.name(),
                told.kind(),
                told.version(),
                List.copyOf(addresses),
                told.processId(),
                told.program(),
                settings,
                by,
                told.firstSeenMicros(),
                Math.max(told.lastSeenMicros(), sighting.atMicros()));
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

    private void tell(
            String id, ReportedSettings.Difference difference, long atMicros, List<Runnable> news) {
        Setting then = difference.then();
        Setting now = difference.now();
        Setting named = now != null ? now : Objects.requireNonNull(then);
        FleetListener.SettingChange change = new FleetListener.SettingChange(
                id,
                named.name(),
                then == null ? null : then.value(),
                now == null ? null : now.value(),
                named.source(),
                atMicros);
        listeners.forEach(l -> news.add(() -> l.settingChanged(change)));
    }

    private static ServiceProfile touched(ServiceProfile known, String source, long atMicros) {
        if (atMicros <= known.lastSeenMicros() && known.reportedBy().contains(source)) {
            return known;
        }
        Set<String> by = new LinkedHashSet<>(known.reportedBy());
        by.add(source);
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
                Math.max(atMicros, known.lastSeenMicros()));
    }

    private @Nullable String nodeOf(String source) {
        SourceSeen seen = sources.get(source);
        if (seen != null) {
            return seen.status().node();
        }
        int at = source.indexOf('@');
        return at < 0 ? null : source.substring(at + 1);
    }

    private long nowMicros() {
        return clock.millis() * 1_000;
    }

    /**
     * The clock was set back: a source that falls silent must be known before the clock is there
     * again.
     */
    public synchronized void setBack() {
        long now = nowMicros();
        sources.replaceAll(
                (name, seen) -> seen.atMicros() > now ? new SourceSeen(seen.status(), now) : seen);
    }

    /** @param atMicros by our clock */
    public record SourceSeen(SourceStatus status, long atMicros) {}
}
