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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * The hub of events between publishers and subscribers.
 *
 * <p>Three kinds of topics. In a <em>passing</em> topic every event counts ({@code service:ID},
 * {@code changes}): the newest are stored for replay within a budget of bytes. In a
 * <em>standing</em> topic only the newest event counts ({@code overview}, {@code alerts}): a new
 * subscriber gets it at once, a returning one only if it has not received it. In a
 * <em>changing</em> topic ({@code services}) a new subscriber gets the whole content and then only
 * changes, a returning one the changes it missed.
 *
 * <p>One lock orders all events, so that no event is lost or duplicated between replay and live.
 * Only queue operations run under the lock; JSON and network output are written outside. Ids are
 * {@code EPOCH-NUMBER}; another epoch means that the service was restarted, and the subscriber
 * receives {@code reset}.
 */
@Component
public class EventHub implements SmartLifecycle {

    /** Time for which a topic counts as requested after its last subscriber left. */
    private static final Duration REQUESTED_FOR = Duration.ofMinutes(1);

    private final EventStreamSettings settings;
    private final JsonMapper mapper;
    private final Counter slow;
    private final Counter refused;
    private final Counter published;
    private final String epoch = Long.toString(System.currentTimeMillis(), 36);

    private final Object lock = new Object();

    /** The open subscriptions; guarded by {@link #lock}. */
    private final List<Subscription> subscriptions = new ArrayList<>();
    /** The stored passing events, oldest first; guarded by {@link #lock}. */
    private final Deque<StreamEvent> replay = new ArrayDeque<>();
    /** The newest event of each standing topic; guarded by {@link #lock}. */
    private final Map<String, StreamEvent> standing = new LinkedHashMap<>();
    /** The changing topics; guarded by {@link #lock}. */
    private final Map<String, ChangingTopic> changing = new HashMap<>();
    /**
     * The last time a topic had a subscriber, by {@link System#nanoTime}; guarded by {@link #lock}.
     */
    private final Map<String, Long> requestedNanos = new HashMap<>();
    /** Size of {@link #replay} in bytes; guarded by {@link #lock}. */
    private long replayBytes;
    /** Number of the newest event; guarded by {@link #lock}. */
    private long newest;
    /** Number of the newest discarded passing event; guarded by {@link #lock}. */
    private long discarded;

    private final Backlog backlog = new Backlog();
    private volatile boolean running;

    public EventHub(EventStreamSettings settings, JsonMapper mapper, MeterRegistry meters) {
        this.settings = settings;
        this.mapper = mapper;
        Gauge.builder("komainu.stream.clients", this, EventHub::clients)
                .description("Subscribers of the event stream")
                .register(meters);
        Gauge.builder("komainu.stream.backlog", backlog, Backlog::bytes)
                .description("Bytes of events that subscribers have not taken yet")
                .register(meters);
        this.published = Counter.builder("komainu.stream.events")
                .description("Events published")
                .register(meters);
        this.slow = Counter.builder("komainu.stream.cut")
                .tag("reason", "slow")
                .description("Disconnected subscribers")
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
            StreamEvent streamEvent = StreamEvent.of(epoch, ++newest, topic, event, json);
            replay.addLast(streamEvent);
            replayBytes += streamEvent.frame().length;
            while (replayBytes > settings.replay().toBytes()) {
                StreamEvent oldest = replay.removeFirst();
                replayBytes -= oldest.frame().length;
                discarded = oldest.number();
            }
            deliver(streamEvent);
        }
    }

    /** Publishes the new content of a standing topic. Any thread; never waits for a subscriber. */
    public void publishStanding(String topic, String event, Object data) {
        String json = mapper.writeValueAsString(data);
        synchronized (lock) {
            StreamEvent streamEvent = StreamEvent.of(epoch, ++newest, topic, event, json);
            standing.put(topic, streamEvent);
            deliver(streamEvent);
        }
    }

    /**
     * Publishes a change of a changing topic. Any thread, but one for each topic; never waits for a
     * subscriber.
     *
     * @param version version of the content after the change
     * @param data the change
     * @param whole the content after the change; called at most once, when a subscriber needs it
     * @param wholeBytes approximate size of the whole content as JSON
     */
    public void publishChange(
            String topic,
            String event,
            String version,
            Object data,
            Supplier<Object> whole,
            int wholeBytes) {
        String json = mapper.writeValueAsString(data);
        synchronized (lock) {
            long number = ++newest;
            StreamEvent change = StreamEvent.of(epoch, number, topic, event, json);
            ChangingTopic.Whole content = new ChangingTopic.Whole(
                    number,
                    version,
                    () -> StreamEvent.of(
                            epoch, number, topic, event, mapper.writeValueAsString(whole.get())));
            ChangingTopic known = changing.get(topic);
            if (known == null) {
                changing.put(topic, new ChangingTopic(content));
                // Who subscribed before the first content has nothing to which a change applies.
                deliver(content.event());
            } else {
                known.add(change, content);
                known.keep(wholeBytes);
                deliver(change);
            }
        }
    }

    /**
     * Reports whether a topic has a subscriber, or had one within the last minute that can return
     * for missed events. Expensive data need not be computed without one. Without one the newest
     * event is discarded, so that the next subscriber does not receive an old one.
     */
    public boolean isRequested(String topic) {
        synchronized (lock) {
            long now = System.nanoTime();
            if (subscriptions.stream().anyMatch(subscription -> subscription.wants(topic))) {
                requestedNanos.put(topic, now);
                return true;
            }
            Long before = requestedNanos.get(topic);
            if (before != null && now - before < REQUESTED_FOR.toNanos()) {
                return true;
            }
            requestedNanos.remove(topic);
            standing.remove(topic);
            return false;
        }
    }

    /**
     * Adds a subscriber. The caller must pass it to {@link #leave} at the end.
     *
     * @param lastEventId id of the last event that the subscriber received; absent for a new one
     * @return the subscription; empty when the limit of subscribers is reached
     */
    public Optional<Subscription> subscribe(Set<String> topics, @Nullable String lastEventId) {
        return subscribe(topics, lastEventId, null);
    }

    /**
     * Adds a subscriber that may hold the content of a changing topic already.
     *
     * @param version version of the content that the subscriber holds; absent: none
     */
    public Optional<Subscription> subscribe(
            Set<String> topics, @Nullable String lastEventId, @Nullable String version) {
        if (lastEventId == null && version == null) {
            encodeContents(topics);
        }
        synchronized (lock) {
            if (!running || subscriptions.size() >= settings.clients()) {
                refused.increment();
                return Optional.empty();
            }
            List<StreamEvent> missed = missed(topics, lastEventId, version);
            // Room for the replay in addition to the live queue, so that a replay does not count as
            // slow reading.
            Subscription subscription = new Subscription(topics, missed, settings.queue(), backlog);
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

    /** Returns the number of subscribers. */
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

    /**
     * Encodes the contents that a new subscriber gets before the lock is held. A content that is
     * published meanwhile is encoded under the lock.
     */
    private void encodeContents(Set<String> topics) {
        List<ChangingTopic.Whole> contents;
        synchronized (lock) {
            contents = changing.entrySet().stream()
                    .filter(each -> topics.contains(each.getKey()))
                    .map(each -> each.getValue().whole())
                    .toList();
        }
        contents.forEach(ChangingTopic.Whole::event);
    }

    private List<StreamEvent> missed(
            Set<String> topics, @Nullable String lastEventId, @Nullable String version) {
        List<StreamEvent> missed = new ArrayList<>();
        long received = lastEventId == null ? newest : numberOf(lastEventId);
        if (received < discarded || received > newest) {
            missed.add(StreamEvent.of(epoch, newest, "", "reset", "{}"));
            received = newest;
        }
        for (StreamEvent event : replay) {
            if (event.number() > received && topics.contains(event.topic())) {
                missed.add(event);
            }
        }
        boolean returning = lastEventId != null
                && missed.stream().noneMatch(event -> event.topic().isEmpty());
        for (StreamEvent event : standing.values()) {
            if (topics.contains(event.topic()) && (!returning || event.number() > received)) {
                missed.add(event);
            }
        }
        for (Map.Entry<String, ChangingTopic> each : changing.entrySet()) {
            if (topics.contains(each.getKey())) {
                ChangingTopic content = each.getValue();
                missed.addAll(returning ? content.after(received) : content.after(version));
            }
        }
        missed.sort(Comparator.comparing((StreamEvent event) -> !event.topic().isEmpty())
                .thenComparing(StreamEvent::number));
        return missed;
    }

    /** Returns the number in an id; -1 for an id of another epoch or a malformed one. */
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

    /** Ends all streams, so that the web server does not wait for them. */
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

    /** Stops before the web server's graceful shutdown ({@code DEFAULT_PHASE - 1024}). */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
