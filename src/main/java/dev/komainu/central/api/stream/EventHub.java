package dev.komainu.central.api.stream;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Passes events from publishers to subscribers.
 *
 * <p>Two kinds of topics. Of a <em>passing</em> one every event counts ({@code service:ID},
 * {@code changes}): the newest are kept for replay within a budget of bytes. Of a <em>standing</em>
 * one only the newest counts ({@code overview}, {@code alerts}): a new subscriber gets it at once,
 * a returning one when it has not seen it.
 *
 * <p>One lock orders everything, so that between replay and live nothing is lost or doubled. Under
 * it only queue operations happen; writing JSON and to the network happens outside. Ids are
 * {@code EPOCH-NUMBER}; another epoch means the service was restarted, and the subscriber is told
 * {@code reset}.
 */
@Component
public class EventHub implements SmartLifecycle {

    /** How long a topic counts as wanted after its last subscriber left. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final EventStreamSettings settings;
    private final JsonMapper mapper;
    private final Counter slow;
    private final Counter refused;
    private final Counter published;
    private final String epoch = Long.toString(System.currentTimeMillis(), 36);

    private final Object lock = new Object();

    /** Guarded by {@link #lock}. */
    private final List<Subscription> subscriptions = new ArrayList<>();
    /** Passing events, oldest first; guarded by {@link #lock}. */
    private final Deque<StreamEvent> passed = new ArrayDeque<>();
    /** Newest of each standing topic; guarded by {@link #lock}. */
    private final Map<String, StreamEvent> standing = new LinkedHashMap<>();
    /**
     * The last time a topic had a subscriber, by {@link System#nanoTime}; guarded by {@link #lock}.
     */
    private final Map<String, Long> wantedAt = new HashMap<>();
    /** Guarded by {@link #lock}. */
    private long passedBytes;
    /** Guarded by {@link #lock}. */
    private long last;
    /** Number of the newest passing event no longer kept; guarded by {@link #lock}. */
    private long forgotten;

    private volatile boolean running;

    public EventHub(EventStreamSettings settings, JsonMapper mapper, MeterRegistry meters) {
        this.settings = settings;
        this.mapper = mapper;
        Gauge.builder("komainu.stream.clients", this, EventHub::clients)
                .description("Subscribers of the event stream now")
                .register(meters);
        this.published = Counter.builder("komainu.stream.events")
                .description("Events published")
                .register(meters);
        this.slow = Counter.builder("komainu.stream.cut")
                .tag("reason", "slow")
                .description("Subscribers cut off")
                .register(meters);
        this.refused = Counter.builder("komainu.stream.refused")
                .tag("reason", "clients")
                .description("Subscribers refused")
                .register(meters);
    }

    /** Publishes an event of a passing topic. Any thread; never waits for a subscriber. */
    public void publish(String topic, String event, Object data) {
        String json = mapper.writeValueAsString(data);
        synchronized (lock) {
            StreamEvent made = StreamEvent.of(epoch, ++last, topic, event, json);
            passed.addLast(made);
            passedBytes += made.frame().length;
            while (passedBytes > settings.replay().toBytes()) {
                StreamEvent oldest = passed.removeFirst();
                passedBytes -= oldest.frame().length;
                forgotten = oldest.number();
            }
            deliver(made);
        }
    }

    /** Publishes the new content of a standing topic. Any thread; never waits for a subscriber. */
    public void publishStanding(String topic, String event, Object data) {
        String json = mapper.writeValueAsString(data);
        synchronized (lock) {
            StreamEvent made = StreamEvent.of(epoch, ++last, topic, event, json);
            standing.put(topic, made);
            deliver(made);
        }
    }

    /**
     * Reports whether a topic has a subscriber, or had one within the last minute that may come
     * back for missed events: expensive data need not be made without one. Without one the newest
     * event is forgotten, so that the next subscriber does not get an old one.
     */
    public boolean wanted(String topic) {
        synchronized (lock) {
            long now = System.nanoTime();
            if (subscriptions.stream().anyMatch(subscription -> subscription.wants(topic))) {
                wantedAt.put(topic, now);
                return true;
            }
            Long before = wantedAt.get(topic);
            if (before != null && now - before < PATIENCE.toNanos()) {
                return true;
            }
            wantedAt.remove(topic);
            standing.remove(topic);
            return false;
        }
    }

    /**
     * Takes a subscriber in; it must be handed to {@link #leave} in the end.
     *
     * @param lastEventId what the subscriber saw last, absent for a new one
     * @return nothing when there are too many already
     */
    public Optional<Subscription> subscribe(Set<String> topics, @Nullable String lastEventId) {
        synchronized (lock) {
            if (!running || subscriptions.size() >= settings.clients()) {
                refused.increment();
                return Optional.empty();
            }
            List<StreamEvent> missed = missed(topics, lastEventId);
            // Room for the replay beside the live queue, so that catching up does not count as
            // being slow.
            Subscription subscription = new Subscription(topics, settings.queue() + missed.size());
            missed.forEach(subscription::offer);
            subscriptions.add(subscription);
            return Optional.of(subscription);
        }
    }

    public void leave(Subscription subscription) {
        synchronized (lock) {
            subscription.end();
            subscriptions.remove(subscription);
        }
    }

    /** Subscribers now. */
    public int clients() {
        synchronized (lock) {
            return subscriptions.size();
        }
    }

    private void deliver(StreamEvent event) {
        published.increment();
        subscriptions.removeIf(subscription -> {
            boolean cut = subscription.wants(event.topic()) && !subscription.offer(event);
            if (cut) {
                slow.increment();
            }
            return cut;
        });
    }

    private List<StreamEvent> missed(Set<String> topics, @Nullable String lastEventId) {
        List<StreamEvent> missed = new ArrayList<>();
        long seen = lastEventId == null ? last : numberOf(lastEventId);
        if (seen < forgotten || seen > last) {
            missed.add(StreamEvent.of(epoch, last, "", "reset", "{}"));
            seen = last;
        }
        for (StreamEvent event : passed) {
            if (event.number() > seen && topics.contains(event.topic())) {
                missed.add(event);
            }
        }
        boolean returning = lastEventId != null
                && missed.stream().noneMatch(event -> event.topic().isEmpty());
        for (StreamEvent event : standing.values()) {
            if (topics.contains(event.topic()) && (!returning || event.number() > seen)) {
                missed.add(event);
            }
        }
        missed.sort(Comparator.comparing((StreamEvent event) -> !event.topic().isEmpty())
                .thenComparing(StreamEvent::number));
        return missed;
    }

    /** -1 for an id of another epoch or none of ours. */
    private long numberOf(String id) {
        if (!id.startsWith(epoch + "-")) {
            return -1;
        }
        try {
            return Long.parseLong(id.substring(epoch.length() + 1));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    @Override
    public void start() {
        running = true;
    }

    /** Ends all streams, so that the web server need not wait for them. */
    @Override
    public void stop() {
        synchronized (lock) {
            running = false;
            subscriptions.forEach(Subscription::end);
            subscriptions.clear();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Stops before the web server's graceful shutdown begins ({@code DEFAULT_PHASE - 1024}). */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
