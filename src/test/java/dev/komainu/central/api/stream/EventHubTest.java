package dev.komainu.central.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.limit.RequestLimit;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.json.JsonMapper;

/** Tests of order, replay, reset and slow subscribers. */
class EventHubTest {

    private static final EventStreamSettings SETTINGS =
            new EventStreamSettings(2, 16, DataSize.ofBytes(400), Duration.ofSeconds(15), true);

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
        String lastId = idOf(before);
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
        String lastId = idOf(before);
        hub.leave(before);
        for (int i = 1; i < 50; i++) {
            hub.publish("changes", "change", i);
        }

        assertThat(taken(hub.subscribe(Set.of("changes"), lastId).orElseThrow()))
                .containsExactly("reset {}");
    }

    @Test
    void changingTopic_newSubscriber_getsTheWholeOnce_thenChanges() throws Exception {
        AtomicInteger encoded = new AtomicInteger();
        hub.publishChange("services", "services", "a", 1, () -> encoded.incrementAndGet(), 10);

        Subscription one = hub.subscribe(Set.of("services"), null).orElseThrow();
        Subscription other = hub.subscribe(Set.of("services"), null).orElseThrow();
        hub.publishChange("services", "services", "b", 20, () -> 200, 10);

        assertThat(taken(one)).containsExactly("services 1", "services 20");
        assertThat(taken(other)).containsExactly("services 1", "services 20");
        assertThat(encoded).hasValue(1);
    }

    @Test
    void changingTopic_subscriberBeforeTheFirstContent_getsTheWhole_thenChanges() throws Exception {
        Subscription early = hub.subscribe(Set.of("services"), null).orElseThrow();

        hub.publishChange("services", "services", "a", 1, () -> 100, 10);
        hub.publishChange("services", "services", "b", 2, () -> 200, 10);

        assertThat(taken(early)).containsExactly("services 100", "services 2");
    }

    @Test
    void changingTopic_subscriberWithItsVersion_getsTheChangesSince() throws Exception {
        hub.publishChange("services", "services", "a", 1, () -> 100, 10);
        hub.publishChange("services", "services", "b", 2, () -> 200, 10);
        hub.publishChange("services", "services", "c", 3, () -> 300, 10);

        Subscription holdsA = hub.subscribe(Set.of("services"), null, "a").orElseThrow();
        assertThat(taken(holdsA)).containsExactly("services 2", "services 3");
        hub.leave(holdsA);
        Subscription holdsC = hub.subscribe(Set.of("services"), null, "c").orElseThrow();
        assertThat(taken(holdsC)).isEmpty();
        hub.leave(holdsC);
        assertThat(taken(hub.subscribe(Set.of("services"), null, "other").orElseThrow()))
                .containsExactly("services 300");
    }

    @Test
    void changingTopic_subscriberWhoseChangesAreGone_getsTheWhole() throws Exception {
        hub.publishChange("services", "services", "first", 0, () -> "whole", 10);
        String big = "x".repeat(40_000);
        Subscription before = hub.subscribe(Set.of("services"), null, "first").orElseThrow();
        hub.publishChange("services", "services", "1", 1, () -> "whole 1", 10);
        String lastId = idOf(before);
        hub.leave(before);
        hub.publishChange("services", "services", "2", big, () -> "whole 2", 10);
        hub.publishChange("services", "services", "3", big, () -> "whole 3", 10);

        Subscription returned = hub.subscribe(Set.of("services"), lastId).orElseThrow();
        assertThat(taken(returned)).containsExactly("services \"whole 3\"");
        hub.leave(returned);
        assertThat(taken(hub.subscribe(Set.of("services"), null, "1").orElseThrow()))
                .containsExactly("services \"whole 3\"");
    }

    @Test
    void changingTopic_returningWithLastEventId_getsTheChangesSince() throws Exception {
        hub.publishChange("services", "services", "a", 1, () -> 100, 10);
        Subscription before = hub.subscribe(Set.of("services"), null).orElseThrow();
        String lastId = idOf(before);
        hub.leave(before);
        hub.publishChange("services", "services", "b", 2, () -> 200, 10);

        assertThat(taken(hub.subscribe(Set.of("services"), lastId, "outdated").orElseThrow()))
                .containsExactly("services 2");
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
        for (StreamEvent event = subscription.next(Duration.ZERO);
                event != null;
                event = subscription.next(Duration.ZERO)) {
            String text = new String(event.frame(), StandardCharsets.UTF_8);
            taken.add(text.replaceAll("(?s).*event: (\\w+)\ndata: (.*)\n\n", "$1 $2"));
        }
        return taken;
    }

    private static String idOf(Subscription subscription) throws InterruptedException {
        StreamEvent event = Objects.requireNonNull(subscription.next(Duration.ZERO));
        return new String(event.frame(), StandardCharsets.UTF_8)
                .replaceAll("(?s)id: (\\S+)\n.*", "$1");
    }
}
