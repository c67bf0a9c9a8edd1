package dev.komainu.proxy.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.connection.CloseReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShortageThresholdTest {

    private static final ShortageThreshold USUAL = new ShortageThreshold(90, 85);

    @Test
    void shortage_beginsAtOneShare_andEndsAtALowerOne() {
        assertThat(USUAL.isShort(new ResourceUse(89, 100), false)).isFalse();
        assertThat(USUAL.isShort(new ResourceUse(90, 100), false)).isTrue();
        assertThat(USUAL.isShort(new ResourceUse(86, 100), true)).isTrue();
        assertThat(USUAL.isShort(new ResourceUse(85, 100), true)).isFalse();
        assertThat(USUAL.isShort(new ResourceUse(86, 100), false)).isFalse();
        assertThat(USUAL.isShort(ResourceUse.UNKNOWN, true))
                .as("what is not told is not short")
                .isFalse();
    }

    @Test
    void excess_isWhatMustGoForTheEnd() {
        assertThat(USUAL.excess(new ResourceUse(200, 200))).isEqualTo(30);
        assertThat(USUAL.excess(new ResourceUse(10, 200))).isZero();
        assertThat(new ShortageThreshold(100, 100).excess(new ResourceUse(3, 3)))
                .isZero();
    }

    @Test
    void ofAResource_isReadByName_elseTheUsualHolds() {
        Map.Entry<CloseReason, ShortageThreshold> read = ReclaimSettings.parse("ports=95-60");
        assertThat(read).isEqualTo(Map.entry(CloseReason.PORTS, new ShortageThreshold(95, 60)));
        ReclaimSettings settings = new ReclaimSettings(
                true, USUAL, Map.ofEntries(read), Duration.ofMinutes(5), Duration.ZERO);
        assertThat(settings.of(CloseReason.PORTS)).isEqualTo(new ShortageThreshold(95, 60));
        assertThat(settings.of(CloseReason.CLIENTS)).isEqualTo(USUAL);
    }

    @Test
    void mistakes_sayWhatWasExpected() {
        assertThatThrownBy(() -> ReclaimSettings.parse("newcomer=90-80"))
                .hasMessage(
                        "newcomer=90-80 (expected: RESOURCE=BEGIN-END with one of descriptors, socket-memory, "
                                + "ports, buffers, buffer-budget, clients)");
        assertThatThrownBy(() -> ReclaimSettings.parse("ports=80-90"))
                .hasMessageContaining("80-90 (expected: BEGIN-END");
        assertThatThrownBy(() -> ReclaimSettings.parse("ports=80"))
                .hasMessageContaining("80 (expected: BEGIN-END");
        List<String> problems = new ArrayList<>();
        new ReclaimSettings(
                        true,
                        new ShortageThreshold(0, 85),
                        Map.of(),
                        Duration.ofSeconds(10),
                        Duration.ZERO)
                .check(Duration.ofSeconds(60), problems);
        assertThat(problems)
                .containsExactly(
                        "connections.reclaim-begin: 0 with connections.reclaim-end 85 (expected: 1 to 100, and an end of 0 to the beginning)",
                        "connections.idle-timeout-plentiful: 10000ms (expected: 60000ms, as connections.idle-timeout, to 24h)");
    }
}
