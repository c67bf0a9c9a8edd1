package dev.komainu.central.order;

import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.fleet.SourceProfile;
import dev.komainu.central.ingest.BatchListener;
import dev.komainu.central.ingest.OrderSource;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.Sha256;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The orders: gives them, sends them to agents, stores their outcomes and records the changes. Any
 * thread.
 */
@Component
public class Orders implements BatchListener, OrderSource {

    private static final Logger LOG = LoggerFactory.getLogger(Orders.class);

    /** Pause before an order is sent to its agent again. */
    private static final Duration RESEND_AFTER = Duration.ofSeconds(10);

    /**
     * Time for an outcome after an order is void: an outcome can wait in a batch, and a restart
     * takes time.
     */
    private static final Duration OUTCOME_GRACE = Duration.ofMinutes(2);

    /**
     * Period in which an observed value belongs to an order that just ended; agents read files
     * every ten seconds.
     */
    private static final Duration JUST_ENDED = Duration.ofSeconds(30);

    /**
     * Tolerance for an order's time in the future. Above it, the clock was set back since: agents
     * refuse the order, and it would block others until the clock reaches that time again.
     */
    private static final Duration AHEAD = Duration.ofMinutes(5);

    /** The reason of an agent that has accepted an order of a newer epoch. */
    private static final String OLDER_EPOCH = "older-epoch";

    private static final int MOST_IN_A_RESPONSE = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final OrderSettings settings;
    private final OrderKeys keys;
    private final OrderTable table;
    private final Fleet fleet;
    private final Changes changes;
    private final OrderEpoch epoch;
    private final Clock clock;
    private final List<Consumer<OrderRecord>> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<OlderEpoch>> olderEpochListeners = new CopyOnWriteArrayList<>();
    private final Map<String, Waiting> waiting = new ConcurrentHashMap<>();

    private static final class Waiting {
        final OrderRecord order;
        final String signed;
        /** Time at which the order was last sent; guarded by this. */
        @Nullable
        Instant sentAt;

        Waiting(OrderRecord order, String signed) {
            this.order = order;
            this.signed = signed;
        }
    }

    public Orders(
            OrderSettings settings,
            OrderKeys keys,
            OrderTable table,
            Fleet fleet,
            Changes changes,
            OrderEpoch epoch,
            Clock clock) {
        this.settings = settings;
        this.keys = keys;
        this.table = table;
        this.fleet = fleet;
        this.changes = changes;
        this.epoch = epoch;
        this.clock = clock;
        // Those that a service of an older epoch gave are this service's from now on.
        table.open()
                .forEach(open -> waiting.put(
                        open.order().code(),
                        new Waiting(open.order(), keys.renewed(open.signed(), epoch))));
    }

    /**
     * Adds a listener.
     *
     * @param listener called when an order is given and when it ends; must return at once
     */
    public void addListener(Consumer<OrderRecord> listener) {
        listeners.add(listener);
    }

    /**
     * An order that an agent refused because its epoch was older than the newest accepted one.
     *
     * @param source name of the agent
     * @param subject server and setting; the order's id when this service did not give it
     * @param detail both epochs, as the agent says it
     */
    public record OlderEpoch(String source, String subject, String detail) {}

    /**
     * Adds a listener.
     *
     * @param listener called when an agent reports such an order, also one that this service did
     *     not give; on the thread that stores the report
     */
    public void onOlderEpoch(Consumer<OlderEpoch> listener) {
        olderEpochListeners.add(listener);
    }

    /** Returns the epoch with which this service signs; 0: none. */
    public long epoch() {
        return epoch.number();
    }

    /**
     * The expected effect of an order, or the reason why it cannot be given.
     *
     * @param place place of the setting, as discovery reported it
     * @param obstacle {@code unknown-service}, {@code no-agent}, {@code not-allowed},
     *     {@code other-key}, {@code older-epoch}, {@code no-place}, {@code unknown-setting},
     *     {@code drift} or {@code order-open}; absent when it can be given
     * @param newestEpoch newest epoch that the agent has accepted, 0 for none; absent: the agent
     *     takes no order with an epoch
     */
    public record Prospect(
            String service,
            String setting,
            @Nullable String current,
            @Nullable String place,
            Order.Then consequence,
            @Nullable String node,
            @Nullable String source,
            @Nullable String obstacle,
            @Nullable Long newestEpoch) {

        private Prospect with(Order.Then other) {
            return new Prospect(
                    service, setting, current, place, other, node, source, obstacle, newestEpoch);
        }
    }

    /** The outcome of giving an order. */
    public sealed interface Outcome {
        record Given(OrderRecord order) implements Outcome {}

        /** The same request came with the same key before. */
        record Repeated(OrderRecord order) implements Outcome {}

        /** The key came before with another request. */
        record KeyReused() implements Outcome {}

        /** The order cannot be given now. */
        record Impossible(Prospect prospect) implements Outcome {}
    }

    /**
     * A setting that an order changes.
     *
     * @param expected value that the caller expects at present; absent: not checked
     */
    public record Target(String setting, @Nullable String expected) {}

    /**
     * Returns the expected effect of an order.
     *
     * @param companions settings that change together with it; an obstacle of one is an obstacle of
     *     the order
     */
    public Prospect prospect(String service, Target target, List<Target> companions) {
        Prospect prospect = prospect(service, target);
        for (Target companion : companions) {
            Prospect other = prospect(service, companion);
            if (prospect.obstacle() != null) {
                return prospect;
            }
            if (other.obstacle() != null) {
                return other;
            }
            if (other.consequence().compareTo(prospect.consequence()) > 0) {
                prospect = prospect.with(other.consequence());
            }
        }
        return prospect;
    }

    private Prospect prospect(String service, Target target) {
        String setting = target.setting();
        String expected = target.expected();
        if (!waiting.isEmpty()) {
            expire();
        }
        ServiceProfile profile = fleet.service(service);
        if (profile == null) {
            return new Prospect(
                    service,
                    setting,
                    null,
                    null,
                    Order.Then.NOTHING,
                    null,
                    null,
                    "unknown-service",
                    null);
        }
        Setting found = profile.setting(setting);
        SourceProfile agent = agent(profile);
        Long newestEpoch = agent == null ? null : agent.status().orderEpoch();
        String obstacle = null;
        if (agent == null) {
            obstacle = "no-agent";
        } else if (agent.status().orderKey() == null) {
            obstacle = "not-allowed";
        } else if (!keys.publicText().equals(agent.status().orderKey())) {
            obstacle = "other-key";
        } else if (newestEpoch != null && newestEpoch > epoch.number()) {
            obstacle = "older-epoch";
        } else if (isRestricted(profile, setting)) {
            obstacle = "restricted";
        } else if (!Consequences.covers(profile, setting)) {
            obstacle = "no-place";
        } else if (found == null) {
            obstacle = "unknown-setting";
        } else if (expected != null && !expected.equals(found.value())) {
            obstacle = "drift";
        } else if (isBusy(profile.id())) {
            obstacle = "order-open";
        }
        return new Prospect(
                profile.id(),
                found == null ? setting : found.name(),
                found == null ? null : found.value(),
                found == null ? null : found.source(),
                Consequences.of(profile, found == null ? setting : found.name()),
                profile.node(),
                agent == null ? null : agent.name(),
                obstacle,
                newestEpoch);
    }

    /** Reports whether the agent's setting {@code changes.ports} excludes this change. */
    private static boolean isRestricted(ServiceProfile profile, String setting) {
        Setting changes = profile.setting(ServiceSighting.AGENT_CHANGES);
        return changes != null && (changes.value().equals("none") || setting.startsWith("sysctl:"));
    }

    private @Nullable SourceProfile agent(ServiceProfile profile) {
        String node = profile.node();
        List<SourceProfile> agents = fleet.sources().stream()
                .filter(source -> !source.silent()
                        && source.status().kind() == SourceStatus.Kind.AGENT
                        && source.status().node().equals(node))
                .toList();
        return agents.stream()
                .filter(agent -> agent.status().orderKey() != null)
                .findFirst()
                .orElse(agents.isEmpty() ? null : agents.getFirst());
    }

    private boolean isBusy(String service) {
        return waiting.values().stream()
                .anyMatch(waitingOrder -> waitingOrder.order.wish().service().equals(service));
    }

    /**
     * Gives an order.
     *
     * @param wish its {@code before} is the required present value, its {@code after} the new value
     * @param companions values of the same file that change together with it
     * @param key the caller's Idempotency-Key; keys of different callers are distinct
     */
    public Outcome give(
            Change.Wish wish, List<Order.Companion> companions, String by, @Nullable String key) {
        return give(wish, companions, by, key, null);
    }

    /**
     * Gives an order that undoes another: its file is restored byte for byte, unless it was edited
     * since.
     */
    public Outcome undo(OrderRecord done, String by, @Nullable String key) {
        Change.Wish original = done.wish();
        Change.Wish wish = new Change.Wish(
                original.service(),
                cut("Rollback: " + original.title()),
                original.setting(),
                original.after(),
                original.before(),
                original.adviceId(),
                null,
                "Undoes order " + done.id());
        List<Order.Companion> companions = done.companions().stream()
                .map(companion -> new Order.Companion(
                        companion.setting(), companion.wanted(), companion.expected()))
                .toList();
        return give(wish, companions, by, key, done);
    }

    private static String cut(String title) {
        return title.length() <= 200 ? title : title.substring(0, 199) + "…";
    }

    private synchronized Outcome give(
            Change.Wish wish,
            List<Order.Companion> companions,
            String by,
            @Nullable String key,
            @Nullable OrderRecord undone) {
        String ownKey = key == null ? null : by + " " + key;
        String hash = Sha256.hex(wish + " " + (undone == null ? "" : undone.id())
                + (companions.isEmpty() ? "" : " " + companions));
        if (ownKey != null) {
            Optional<OrderTable.Keyed> earlier = table.keyed(ownKey);
            if (earlier.isPresent()) {
                return earlier.get().hash().equals(hash)
                        ? new Outcome.Repeated(earlier.get().order())
                        : new Outcome.KeyReused();
            }
        }
        expire();
        // For an undo, the agent checks the present content, by the file's own bytes.
        Prospect prospect = prospect(
                wish.service(),
                new Target(
                        Objects.requireNonNull(wish.setting()),
                        undone == null ? wish.before() : null),
                companions.stream()
                        .map(companion -> new Target(
                                companion.setting(), undone == null ? companion.expected() : null))
                        .toList());
        String node = prospect.node();
        String source = prospect.source();
        if (prospect.obstacle() != null || node == null || source == null) {
            return new Outcome.Impossible(prospect);
        }
        long now = EpochMicros.of(clock.instant());
        byte[] code = new byte[16];
        RANDOM.nextBytes(code);
        Order order = new Order(
                HexFormat.of().formatHex(code),
                node,
                prospect.service(),
                now,
                now + settings.life().toNanos() / 1_000,
                prospect.setting(),
                prospect.current() == null ? "" : prospect.current(),
                undone == null ? wish.after() : null,
                undone == null ? prospect.consequence() : undone.consequence(),
                undone == null ? null : undone.code(),
                undone == null ? companions : List.of(),
                // An agent that knows no epochs takes an order with one for a wrong signature.
                prospect.newestEpoch() == null ? 0 : epoch.number());
        String signed = keys.sign(order);
        OrderRecord givenOrder = table.insert(
                order,
                signed,
                wish,
                companions,
                source,
                by,
                undone == null ? null : Long.valueOf(undone.id()),
                ownKey,
                hash);
        waiting.put(givenOrder.code(), new Waiting(givenOrder, signed));
        notifyListeners(givenOrder);
        return new Outcome.Given(givenOrder);
    }

    private void expire() {
        Instant now = clock.instant();
        Instant voidBefore = now.minus(OUTCOME_GRACE);
        Instant ahead = now.plus(AHEAD);
        table.expire(voidBefore, ahead);
        waiting.values()
                .removeIf(waitingOrder -> waitingOrder.order.expires().isBefore(voidBefore)
                        || waitingOrder.order.at().isAfter(ahead));
    }

    @Override
    public List<String> ordersFor(String source) {
        if (waiting.isEmpty()) {
            return List.of();
        }
        Instant now = clock.instant();
        List<String> orders = new ArrayList<>();
        for (Waiting waitingOrder : waiting.values()) {
            if (waitingOrder.order.source().equals(source)
                    && orders.size() < MOST_IN_A_RESPONSE
                    && isDue(waitingOrder, now)) {
                orders.add(waitingOrder.signed);
            }
        }
        return orders;
    }

    private static boolean isDue(Waiting waitingOrder, Instant now) {
        synchronized (waitingOrder) {
            if (!isDue(waitingOrder.sentAt, now)) {
                return false;
            }
            waitingOrder.sentAt = now;
            return true;
        }
    }

    /**
     * Reports whether an order is sent again. A time in the future means that the clock was set
     * back since; without this rule the order would be void before it is sent again.
     */
    private static boolean isDue(@Nullable Instant sentAt, Instant now) {
        return sentAt == null
                || sentAt.isAfter(now)
                || !sentAt.plus(RESEND_AFTER).isAfter(now);
    }

    @Override
    public boolean isOfAnother(String source, String order) {
        return table.findCode(order)
                .filter(found -> !found.source().equals(source))
                .isPresent();
    }

    @Override
    public void stored(Batch batch) {
        for (TelemetryRecord record : batch.records()) {
            if (record instanceof OrderOutcome outcome) {
                ended(batch.id().source(), outcome);
            }
        }
    }

    private void ended(String source, OrderOutcome outcome) {
        OrderRecord order = table.findCode(outcome.order()).orElse(null);
        if (order == null || !order.source().equals(source)) {
            LOG.warn(
                    "{} reported an outcome of an order that it never received: {}",
                    source,
                    outcome.order());
            if (outcome.reason().equals(OLDER_EPOCH)) {
                notifyOlderEpoch(
                        new OlderEpoch(source, "order " + outcome.order(), outcome.detail()));
            }
            return;
        }
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        boolean open = order.state() == OrderRecord.State.OPEN
                || order.state() == OrderRecord.State.EXPIRED;
        if (!open) {
            waiting.remove(order.code());
            return;
        }
        Long changeId = null;
        // The change first: if this process dies in between, the agent reports the outcome again.
        if (outcome.state() == OrderOutcome.State.DONE) {
            Change.Wish wish = order.wish();
            Change.Wish applied = new Change.Wish(
                    wish.service(),
                    wish.title(),
                    wish.setting(),
                    outcome.change().before() == null
                            ? wish.before()
                            : outcome.change().before(),
                    outcome.change().after() == null
                            ? wish.after()
                            : outcome.change().after(),
                    wish.adviceId(),
                    wish.diagnosisId(),
                    note(order));
            Change change = changes.recordApplied(
                    applied, order.by(), order.id(), OrderTable.instant(outcome.begunMicros()));
            changeId = change.id();
        }
        table.end(order.code(), outcome, changeId, now);
        waiting.remove(order.code());
        table.find(order.id()).ifPresent(this::notifyListeners);
        if (outcome.reason().equals(OLDER_EPOCH)) {
            notifyOlderEpoch(new OlderEpoch(
                    source,
                    order.wish().service() + " " + order.wish().setting(),
                    outcome.detail()));
        }
    }

    /** Returns the note of a change with the values that changed together with its own. */
    private static @Nullable String note(OrderRecord order) {
        String note = order.wish().note();
        if (order.companions().isEmpty()) {
            return note;
        }
        String together = order.companions().stream()
                .map(companion -> companion.setting() + " " + companion.expected() + " → "
                        + companion.wanted())
                .collect(Collectors.joining(", ", "Together with ", ""));
        return note == null ? together : note + "\n" + together;
    }

    /** Returns orders, newest first, only those of a smaller id. {@code service} absent: all. */
    public List<OrderRecord> list(@Nullable String service, long before, int limit) {
        expire();
        return table.list(service, before, limit);
    }

    public Optional<OrderRecord> find(long id) {
        expire();
        return table.find(id);
    }

    /** Reports whether a value that an agent observes in a file was written by an order. */
    public boolean isFromOrder(
            String service, String setting, @Nullable String after, Duration within) {
        Instant now = clock.instant();
        return table.madeSince(service, setting, after, now.minus(within), now.minus(JUST_ENDED));
    }

    /** Reports whether an order restarted this service within the period. */
    public boolean restarted(String service, Duration within) {
        return table.restartedSince(service, clock.instant().minus(within));
    }

    private void notifyListeners(OrderRecord order) {
        notify(listeners, order, "order " + order.id());
    }

    private void notifyOlderEpoch(OlderEpoch refused) {
        LOG.warn(
                "{} refused an order {}: {}",
                refused.source(),
                refused.detail(),
                refused.subject());
        notify(olderEpochListeners, refused, refused.subject());
    }

    private static <T> void notify(List<Consumer<T>> listeners, T event, String what) {
        for (Consumer<T> listener : listeners) {
            try {
                listener.accept(event);
            } catch (RuntimeException e) {
                LOG.warn("A listener failed at {}: {}", what, e.toString(), e);
            }
        }
    }
}
