package dev.komainu.central.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.limit.RequestLimit;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.json.JsonMapper;

/** Tests of order, replay, reset and slow subscribers. */
class EventHubTest {

    private static final EventStreamSettings SETTINGS =
            new EventStreamSettings(2, 16, DataSize.ofBytes(400), Duration.ofSeconds(15));

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final EventHub hub = new EventHub(SETTINGS, JsonMapper.shared(), meters);

    @BeforeEach
    void setUp() {
        hub.start();
    }

    @Test
    void publish_otherTopic_isNotDelivered() throws InterruptedException {
        Subscription subscription = hub.subscribe(Set.of("changes"), null).orElseThrow();

        hub.publish("service:a", "point", 1);
        hub.publish("changes", "change", 2);

        assertThat(taken(subscription)).containsExactly("change 2");
    }

    @Test
    void publish_subscriberFullyBehind_isDisconnectedAndCounted() throws InterruptedException {
        Subscription slow = hub.subscribe(Set.of("changes"), null).orElseThrow();
        Subscription quick = hub.subscribe(Set.of("changes"), null).orElseThrow();

        for (int i = 0; i <= 16; i++) {
            hub.publish("changes", "change", i);
            assertThat(taken(quick)).containsExactly("change " + i);
        }

        assertThat(slow.ended()).isTrue();
        assertThat(quick.ended()).isFalse();
        assertThat(hub.clients()).isEqualTo(1);
        assertThat(meters.counter("komainu.stream.cut", "reason", "slow").count())
                .isEqualTo(1);
    }

    @Test
    void publish_subscriberBehindByBytes_isDisconnected_oneBigEventIsNot() throws Exception {
        Subscription slow = hub.subscribe(Set.of("changes"), null).orElseThrow();
        Subscription quick = hub.subscribe(Set.of("changes"), null).orElseThrow();
        String big = "x".repeat(RequestLimit.STREAM_BACKLOG.value());

        hub.publish("changes", "change", big);
        assertThat(taken(quick)).hasSize(1);
        assertThat(slow.ended()).isFalse();
        hub.publish("changes", "change", "more");

        assertThat(slow.ended()).isTrue();
        assertThat(quick.ended()).isFalse();
    }

    @Test
    void backlog_eventInSeveralQueues_countsOnce_andLeavesWithTheLast() throws Exception {
        Subscription one = hub.subscribe(Set.of("changes"), null).orElseThrow();
        Subscription other = hub.subscribe(Set.of("changes"), null).orElseThrow();
        hub.publish("changes", "change", "x".repeat(1_000));
        double both = meters.get("komainu.stream.backlog").gauge().value();

        assertThat(both).isBetween(1_000.0, 1_200.0);
        taken(one);
        assertThat(meters.get("komainu.stream.backlog").gauge().value()).isEqualTo(both);
        hub.leave(other);
        assertThat(meters.get("komainu.stream.backlog").gauge().value()).isZero();
    }

    @Test
    void subscribe_moreThanAllowed_isRefusedAndCounted() {
        hub.subscribe(Set.of("changes"), null);
        hub.subscribe(Set.of("changes"), null);

        assertThat(hub.subscribe(Set.of("changes"), null)).isEmpty();
        assertThat(meters.counter("komainu.stream.refused", "reason", "clients").count())
                .isEqualTo(1);
    }

    @Test
    void subscribe_newSubscriber_getsStandingEventsOnly() throws InterruptedException {
        hub.publish("changes", "change", 1);
        hub.publishStanding("overview", "overview", 2);
        hub.publishStanding("overview", "overview", 3);

        assertThat(taken(hub.subscribe(Set.of("changes", "overview"), null).orElseThrow()))
                .containsExactly("overview 3");
    }

    @Test
    void subscribe_returning_getsMissedEventsInOrder() throws InterruptedException {
        Subscription before = hub.subscribe(Set.of("changes", "overview"), null).orElseThrow();
        hub.publish("changes", "change", 1);
        String lastId = idOf(before.next(Duration.ZERO));
        hub.leave(before);
        hub.publish("changes", "change", 2);
        hub.publishStanding("overview", "overview", 3);
        hub.publish("changes", "change", 4);

        assertThat(taken(hub.subscribe(Set.of("changes", "overview"), lastId).orElseThrow()))
                .containsExactly("change 2", "overview 3", "change 4");
    }

    @Test
    void subscribe_returningTooLate_isResetFirst() throws InterruptedException {
        Subscription before = hub.subscribe(Set.of("changes"), null).orElseThrow();
        hub.publish("changes", "change", 0);
        String lastId = idOf(before.next(Duration.ZERO));
        hub.leave(before);
        for (int i = 1; i < 50; i++) {
            hub.publish("changes", "change", i);
        }

        assertThat(taken(hub.subscribe(Set.of("changes"), lastId).orElseThrow()))
                .containsExactly("reset {}");
    }

    @Test
    void stop_runningSubscription_ends() {
        Subscription subscription = hub.subscribe(Set.of("changes"), null).orElseThrow();

        hub.stop();

        assertThat(subscription.ended()).isTrue();
        assertThat(hub.subscribe(Set.of("changes"), null)).isEmpty();
    }

    private static List<String> taken(Subscription subscription) throws InterruptedException {
        List<String> taken = new ArrayList<>();
        for (byte[] frame = subscription.next(Duration.ZERO);
                frame != null;
                frame = subscription.next(Duration.ZERO)) {
            String text = new String(frame, StandardCharsets.UTF_8);
            taken.add(text.replaceAll("(?s).*event: (\\w+)\ndata: (.*)\n\n", "$1 $2"));
        }
        return taken;
    }

    private static String idOf(byte[] frame) {
        return new String(frame, StandardCharsets.UTF_8).replaceAll("(?s)id: (\\S+)\n.*", "$1");
    }
}
