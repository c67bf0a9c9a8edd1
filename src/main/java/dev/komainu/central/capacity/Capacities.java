package dev.komainu.central.capacity;

import dev.komainu.central.change.Change;
import dev.komainu.central.control.ControlDataFailure;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.store.RecordStore;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest capacity of every service.
 *
 * <p>A computation reads a day of roll-ups and of the host's samples, and fits them a hundred
 * times, which takes some seconds. So the list shows the result of the last round. Only a request
 * for a single service computes it again, at most once a minute and one service at a time.
 */
public final class Capacities {

    private static final Logger LOG = LoggerFactory.getLogger(Capacities.class);

    /** Age up to which a result is returned to a request without a new computation. */
    private static final Duration FRESH = Duration.ofSeconds(60);

    /** Seconds before now that are not read: windows arrive a few seconds late. */
    private static final int LATE_SECONDS = 10;

    private static final int NOW_POINTS = 6;
    private static final int YEARS_OF_HOURS = 2 * 365 * 24;

    /** Services of one host that are computed together: their samples are read once. */
    private static final int PART_SERVICES = 8;

    /** Days of hours stored in one round; the next round continues. */
    private static final int DAYS_A_ROUND = 7;

    private final Fleet fleet;
    private final RecordStore store;
    private final LoadReader loads;
    private final HourlyHistory hours;
    private final Upgrades upgrades;
    private final CapacityModeller modeller;
    private final CapacitySettings settings;
    private final Clock clock;
    private final Map<String, ServiceCapacity> newest = new ConcurrentHashMap<>();
    /** Locked by the thread that computes. */
    private final ReentrantLock computing = new ReentrantLock();

    Capacities(
            Fleet fleet,
            RecordStore store,
            HourlyHistory hours,
            Upgrades upgrades,
            CapacitySettings settings,
            Clock clock) {
        this.fleet = fleet;
        this.store = store;
        this.loads = new LoadReader(store, fleet);
        this.hours = hours;
        this.upgrades = upgrades;
        this.modeller = new CapacityModeller(settings.extrapolate());
        this.settings = settings;
        this.clock = clock;
    }

    public CapacitySettings settings() {
        return settings;
    }

    /** Returns the last result for a service; {@code null} before the first. */
    public @Nullable ServiceCapacity newest(String service) {
        return newest.get(service);
    }

    /**
     * Returns a result that is a minute old at most, or the last one while a round computes others.
     * Blocks for a second or longer when it must be computed.
     */
    public ServiceCapacity of(ServiceProfile service) {
        ServiceCapacity known = newest.get(service.id());
        if (!computing.tryLock()) {
            if (known != null) {
                return known;
            }
            computing.lock();
        }
        try {
            known = newest.get(service.id());
            if (known != null && known.at().plus(FRESH).isAfter(clock.instant())) {
                return known;
            }
            return compute(service);
        } finally {
            computing.unlock();
        }
    }

    /** The pause after each part of a round. */
    interface Pause {

        /**
         * Waits after a part.
         *
         * @param nanos time that the part took
         * @throws InterruptedException when the round is to end
         */
        void after(long nanos) throws InterruptedException;
    }

    /**
     * Computes every service, host by host, because reading the samples of a host takes longest. A
     * failure for one service does not affect the others.
     *
     * @throws InterruptedException when the pause was interrupted; the rest is left out
     */
    void round(Pause pause) throws InterruptedException {
        List<ServiceProfile> services = fleet.services();
        newest.keySet()
                .removeIf(id -> services.stream().noneMatch(each -> each.id().equals(id)));
        for (List<ServiceProfile> part : parts(services)) {
            long begun = System.nanoTime();
            computing.lock();
            try {
                computePart(part);
            } finally {
                computing.unlock();
            }
            pause.after(System.nanoTime() - begun);
        }
        hours.deleteOld(clock.instant().getEpochSecond());
    }

    /** Divides services into parts of one host, at most {@value #PART_SERVICES} in each. */
    private static List<List<ServiceProfile>> parts(List<ServiceProfile> services) {
        Map<String, List<ServiceProfile>> byNode = new LinkedHashMap<>();
        for (ServiceProfile service : services) {
            String node = service.node();
            byNode.computeIfAbsent(
                            node == null ? "service " + service.id() : "node " + node,
                            any -> new ArrayList<>())
                    .add(service);
        }
        List<List<ServiceProfile>> parts = new ArrayList<>();
        for (List<ServiceProfile> ofNode : byNode.values()) {
            for (int from = 0; from < ofNode.size(); from += PART_SERVICES) {
                parts.add(ofNode.subList(from, Math.min(ofNode.size(), from + PART_SERVICES)));
            }
        }
        return parts;
    }

    private void computePart(List<ServiceProfile> services) {
        long now = clock.instant().getEpochSecond();
        Map<ServiceProfile, Period> periods = new LinkedHashMap<>();
        for (ServiceProfile service : services) {
            try {
                for (int day = 0; day < DAYS_A_ROUND && hours.catchUp(service, now); day++) {
                    // each iteration stores one day
                }
                periods.put(service, period(service, now));
            } catch (RuntimeException e) {
                failed(service, e);
            }
        }
        List<LoadReader.Load> read = List.of();
        try {
            Map<ServiceProfile, Long> from = new LinkedHashMap<>();
            periods.forEach((service, period) -> from.put(service, period.from()));
            read = loads.read(from, now - LATE_SECONDS);
        } catch (RuntimeException e) {
            services.forEach(service -> failed(service, e));
        }
        Iterator<LoadReader.Load> next = read.iterator();
        periods.forEach((service, period) -> {
            if (next.hasNext()) {
                try {
                    compute(service, period, next.next());
                } catch (RuntimeException e) {
                    failed(service, e);
                }
            }
        });
    }

    private static void failed(ServiceProfile service, RuntimeException e) {
        if (ControlDataFailure.of(e).isOutage()) {
            return; // told once, where the connections are
        }
        LOG.warn("Could not compute the capacity of {}: {}", service.id(), e.toString(), e);
    }

    /** The seconds whose load is read, and the upgrades of the service. */
    private record Period(long from, long to, List<Upgrade> marked) {}

    private Period period(ServiceProfile service, long now) {
        long to = now - LATE_SECONDS;
        List<Upgrade> marked = upgrades.of(fleet.names(service.id()));
        long from = to - settings.window().toSeconds();
        if (!marked.isEmpty()) {
            // Loads before an upgrade were measured on another server.
            from = Math.max(from, marked.getFirst().at().getEpochSecond());
        }
        return new Period(Math.min(from, to), to, marked);
    }

    /** Computes the capacity of a service. The caller holds the lock. */
    private ServiceCapacity compute(ServiceProfile service) {
        Period period = period(service, clock.instant().getEpochSecond());
        return compute(service, period, loads.read(service, period.from(), period.to()));
    }

    private ServiceCapacity compute(ServiceProfile service, Period period, LoadReader.Load load) {
        Instant at = clock.instant();
        long now = at.getEpochSecond();
        List<Upgrade> marked = period.marked();
        CapacityModel model = modeller.model(
                service.id(),
                period.from(),
                period.to(),
                load.points(),
                load.underLoss(),
                load.facts());
        Knee knee = model.knee(ServerModel.now(settings.responseRatio()));
        long today = Math.floorDiv(now, 86_400L);
        List<HourlyLoad> stored =
                hours.hours(service.id(), now / HourlyLoad.SECONDS - YEARS_OF_HOURS);
        PeakGrowth growth = PeakGrowth.of(stored, today);
        ServiceCapacity capacity = new ServiceCapacity(
                at,
                model,
                knee,
                rateNow(load.points(), period.to()),
                UserEstimate.of(
                        store, List.copyOf(fleet.names(service.id())), model.steps(), period.to()),
                WeeklyPattern.peaks(stored),
                stored.size(),
                growth,
                PeakGrowth.dailyPeaks(stored, today).size(),
                growth == null || knee == null ? null : TimeToKnee.of(growth, knee),
                effects(marked, knee));
        newest.put(service.id(), capacity);
        return capacity;
    }

    private static @Nullable Double rateNow(List<LoadPoint> points, long to) {
        double[] last = points.stream()
                .filter(point -> point.atSecond() >= to - (NOW_POINTS + 2L) * LoadPoint.SECONDS)
                .mapToDouble(LoadPoint::arrival)
                .toArray();
        double median = LoadStep.median(last);
        return Double.isNaN(median) ? null : median;
    }

    /**
     * Returns the effect of each upgrade. The newest is compared with the present knee, each
     * earlier one with the knee before its successor.
     */
    private static List<Upgrade.Effect> effects(List<Upgrade> marked, @Nullable Knee knee) {
        List<Upgrade.Effect> effects = new ArrayList<>();
        Upgrade.Side after = Upgrade.Side.of(knee);
        for (Upgrade upgrade : marked) {
            effects.add(upgrade.effect(after));
            after = upgrade.before();
        }
        return effects;
    }

    /** Returns the effects of a service's upgrades, by its last result; newest first. */
    public List<Upgrade.Effect> upgrades(String service) {
        ServiceCapacity capacity = newest.get(service);
        return effects(
                upgrades.of(fleet.names(service)), capacity == null ? null : capacity.knee());
    }

    /** Marks a change as an upgrade and stores the knee of its service before it. */
    public Upgrade mark(
            Change change, @Nullable BigDecimal cost, @Nullable String currency, String by) {
        computing.lock();
        try {
            Upgrade.Side before =
                    upgrades.find(change.id()).map(Upgrade::before).orElse(null);
            ServiceProfile service = fleet.service(change.wish().service());
            if (before == null && service != null) {
                before = Upgrade.Side.of(kneeBefore(service, change));
            }
            upgrades.mark(change, cost, currency, by, before);
            newest.remove(service == null ? change.wish().service() : service.id());
            return upgrades.find(change.id()).orElseThrow();
        } finally {
            computing.unlock();
        }
    }

    private @Nullable Knee kneeBefore(ServiceProfile service, Change change) {
        long to = change.at().getEpochSecond();
        long from = upgrades.of(fleet.names(service.id())).stream()
                .filter(earlier -> earlier.at().isBefore(change.at()))
                .map(earlier -> earlier.at().getEpochSecond())
                .findFirst()
                .map(last -> Math.max(last, to - settings.window().toSeconds()))
                .orElse(to - settings.window().toSeconds());
        LoadReader.Load load = loads.read(service, from, to);
        return modeller.model(service.id(), from, to, load.points(), load.underLoss(), load.facts())
                .knee(ServerModel.now(settings.responseRatio()));
    }

    /**
     * Removes the mark of an upgrade. Returns the service of the change; empty when it was not
     * marked.
     */
    public Optional<String> unmark(long changeId) {
        computing.lock();
        try {
            Optional<String> service = upgrades.find(changeId).map(Upgrade::service);
            if (service.isEmpty() || !upgrades.unmark(changeId)) {
                return Optional.empty();
            }
            ServiceProfile known = fleet.service(service.get());
            newest.remove(known == null ? service.get() : known.id());
            return service;
        } finally {
            computing.unlock();
        }
    }
}
