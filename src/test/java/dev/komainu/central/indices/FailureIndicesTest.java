package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.central.fleet.ServerLimits;
import dev.komainu.central.store.ServiceSum;
import dev.komainu.central.store.Summation;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of requests without a response and other failures, as the console and the rules read them.
 */
class FailureIndicesTest {

    private static final String ID = "web-01:80";
    private static final long S = 1_763_683_200L;

    private final LiveIndices live = new LiveIndices(new IndexCatalogue());

    @Test
    void failures_unansweredAndErrorsWithoutTheDeliberate_areAddedUp() {
        report(
                S,
                Map.of(
                        "rps",
                        112.0,
                        "done",
                        50.0,
                        "errors",
                        7.0,
                        "deliberateUnavailable",
                        4.0,
                        "resetUnanswered",
                        40.0,
                        "closedUnanswered",
                        10.0));

        assertThat(now("unansweredPerSecond")).isEqualTo(50);
        assertThat(now("unansweredShare")).isCloseTo(50 / 112.0, within(1e-9));
        assertThat(now("unavailablePerSecond")).isEqualTo(4);
        assertThat(now("failurePerSecond")).isEqualTo(53);
        assertThat(now("failureShare")).isCloseTo(0.53, within(1e-9));
        assertThat(now("errorsPerSecond")).isEqualTo(7);
    }

    @Test
    void lostPagesAndHandshakes_haveTheirOwnDenominators() {
        report(
                S,
                Map.of(
                        "rps",
                        20.0,
                        "done",
                        10.0,
                        "conns",
                        40.0,
                        "lostPages",
                        5.0,
                        "handshakes",
                        30.0,
                        "failedHandshakes",
                        6.0));

        assertThat(now("lostPagesPerSecond")).isEqualTo(5);
        assertThat(now("lostPagesShare")).isEqualTo(0.5);
        assertThat(now("failedHandshakesPerSecond")).isEqualTo(6);
        assertThat(now("failedHandshakeShare")).isEqualTo(0.2);
    }

    @Test
    void shares_requestsAndHandshakesOfEarlierWindowsFail_areNeverAboveAll() {
        report(
                S,
                Map.of(
                        "rps",
                        2.0,
                        "done",
                        0.0,
                        "closedUnanswered",
                        8.0,
                        "handshakes",
                        1.0,
                        "failedHandshakes",
                        3.0));

        assertThat(now("unansweredShare")).isEqualTo(1);
        assertThat(now("failureShare")).isEqualTo(1);
        assertThat(now("failedHandshakeShare")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "unansweredPerSecond",
                "unansweredShare",
                "unavailablePerSecond",
                "failurePerSecond",
                "failureShare",
                "lostPagesPerSecond",
                "lostPagesShare",
                "failedHandshakesPerSecond",
                "failedHandshakeShare"
            })
    void windowOfAnOldAgent_isUnknown_neverZero(String index) {
        live.accept("agent@a", ID, old(window(S, Map.of("rps", 10.0, "errors", 3.0))), S * 1_000);

        assertThat(now(index)).isNaN();
        assertThat(now("errorsPerSecond")).isEqualTo(3);
    }

    @Test
    void oneServerAtTwoAddresses_failuresAreAddedUp() {
        for (String address : List.of("10.0.0.1:80", "[fd00::1]:80")) {
            ServiceWindow window =
                    Told.packets(address, S, Map.of("rps", 10.0, "resetUnanswered", 2.0));
            live.accept("agent@m", ID, window, S * 1_000);
        }

        assertThat(now("unansweredPerSecond")).isEqualTo(4);
    }

    @Test
    void sumOfWindows_oneFromAnOldAgent_isUnknown() {
        Map<String, Double> values = new HashMap<>(Map.of("rps", 10.0));
        for (String name : List.of(
                "resetUnanswered",
                "closedUnanswered",
                "deliberateUnavailable",
                "lostPages",
                "handshakes",
                "failedHandshakes")) {
            values.put(name, values.size() + 1.0);
        }
        ServiceWindow window = window(S, values);

        assertThat(sum(window, window(S + 1, values)).failures())
                .isEqualTo(new Failures(4, 6, 8, 10, 12, 14));
        assertThat(sum(window, old(window(S + 1, values))).failures()).isNull();
    }

    private static ServiceWindow sum(ServiceWindow... windows) {
        List<Summation.Part<ServiceWindow>> parts = Stream.of(windows)
                .map(window -> new Summation.Part<>(window, window.lengthMicros()))
                .toList();
        return new ServiceSum().sum(parts, S * 1_000_000, 2_000_000);
    }

    private static ServiceWindow window(long second, Map<String, Double> values) {
        return Told.packets(ID, second, values);
    }

    private void report(long second, Map<String, Double> values) {
        live.accept("agent@a", ID, window(second, values), second * 1_000);
    }

    private double now(String index) {
        return live.view(ID, null, ServerLimits.UNKNOWN, S).now(index, 1);
    }

    /** Returns the window of an agent that does not count failures. */
    private static ServiceWindow old(ServiceWindow it) {
        return new ServiceWindow(
                it.service(),
                it.fromMicros(),
                it.lengthMicros(),
                new ServiceWindow.Connections(
                        it.connections().arrivals(),
                        it.connections().ended(),
                        it.connections().refused(),
                        it.connections().noAnswer(),
                        it.connections().resetsByClient(),
                        it.connections().resetsByServer(),
                        0),
                it.exchanges(),
                it.concurrency(),
                it.packets(),
                new ServiceWindow.Times(
                        it.times().response(), it.times().transfer(), it.times().connection()),
                null);
    }
}
