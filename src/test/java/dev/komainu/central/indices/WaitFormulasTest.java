package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.central.fleet.ServerLimits;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Waits that packets do not show: within TLS, requests are seen late or not at all. */
class WaitFormulasTest {

    private static final long SECOND = 1_764_000_000L;

    private final LiveIndices live = new LiveIndices(new IndexCatalogue());

    @BeforeEach
    void setUp() {
        live.baseline("here:80", new Baseline(10, 1, Double.NaN, 0, 1, 1, Baseline.ENOUGH_LESSONS));
    }

    /** HTTP/2 within TLS: T_r is measured, but no request is ever counted in progress. */
    @Test
    void requestsInProgress_thatCannotBeCounted_followLittlesLaw() {
        told(Map.of("rps", 20.0, "ms", 500.0, "waiting", 0.0), Map.of());
        assertThat(now("processingMean")).isCloseTo(10, within(0.2));
    }

    @Test
    void requestsInProgress_thatAreCounted_areNotEstimated() {
        told(Map.of("rps", 20.0, "ms", 500.0, "waiting", 3.0), Map.of());
        assertThat(now("processingMean")).isEqualTo(3);
    }

    /** 40 connections wait, 20 arrive each second, 5 are served: a visitor waits 2 s. */
    @Test
    void connectionsThatAreNotServed_countAsRequestsAndTheirWaitAsTheResponseTime() {
        told(
                Map.of("rps", 5.0, "conns", 20.0, "ms", 10.0, "waiting", 0.05),
                Map.of("acceptQueue", 40.0));
        assertThat(now("processingMean")).isEqualTo(40);
        assertThat(now("responseRatio")).isCloseTo(200, within(4.0));
        assertThat(now("responseExcessMillis")).isCloseTo(1_990, within(40.0));
        assertThat(now("responseP50Millis")).isCloseTo(10, within(0.5));
        assertThat(now("answeredResponseRatio")).isCloseTo(1, within(0.05));
        assertThat(now("carriedShare")).isEqualTo(0.25);
    }

    /** No response at all: T_r is unknown, the wait is not. */
    @Test
    void noResponse_theWaitForAcceptIsTheResponseTime() {
        told(Map.of("rps", 0.0, "conns", 20.0), Map.of("acceptQueue", 40.0));
        assertThat(now("responseRatio")).isCloseTo(200, within(4.0));
    }

    /** A burst of arrivals that is served: every connection gets its response. */
    @Test
    void queueThatIsServed_orIsShort_doesNotCount() {
        told(Map.of("rps", 20.0, "conns", 20.0, "ms", 10.0), Map.of("acceptQueue", 40.0));
        assertThat(now("responseRatio")).isCloseTo(1, within(0.05));
        assertThat(now("carriedShare")).isEqualTo(1);
        told(Map.of("rps", 5.0, "conns", 20.0, "ms", 10.0), Map.of("acceptQueue", 7.0));
        assertThat(now("responseRatio")).isCloseTo(1, within(0.05));
    }

    /** A backup of another program: the host waits for its disk, this server does not. */
    @Test
    void ioWaitOfTheHost_countsOnlyWhileTheServersThreadsWait() {
        told(Map.of("rps", 20.0, "waiting", 10.0), Map.of("iowait", 0.5, "blocked", 0.0));
        assertThat(now("serverIowaitShare")).isZero();
        told(Map.of("rps", 20.0, "waiting", 10.0), Map.of("iowait", 0.5, "blocked", 1.0));
        assertThat(now("serverIowaitShare")).isEqualTo(0.5);
        told(Map.of("rps", 20.0), Map.of("iowait", 0.5, "waitsUnseen", 1.0));
        assertThat(now("serverIowaitShare")).isEqualTo(0.5);
    }

    private void told(Map<String, Double> packets, Map<String, Double> host) {
        live.accept("agent", "here:80", Told.packets("here:80", SECOND, packets), SECOND * 1_000);
        live.accept("agent", Told.host("here", "here:80", SECOND, host));
    }

    private double now(String index) {
        return live.view("here:80", "here", ServerLimits.UNKNOWN, SECOND).now(index, 1);
    }
}
