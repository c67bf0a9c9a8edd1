package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.PartFault.Kind;
import dev.komainu.telemetry.record.HostParts;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Parts at fault: each kind by the value just at its limit, and since when. */
class PartFaultsTest {

    private static HostParts told(long second, String name, double value) {
        return Objects.requireNonNull(ToldParts.of(second, Map.of(name, value)));
    }

    static Stream<Arguments> kinds() {
        return Stream.of(
                Arguments.of("linksDown", 1, Kind.LINK_DOWN, "eth0"),
                Arguments.of("readOnly", 1, Kind.VOLUME_READ_ONLY, "/"),
                Arguments.of("volumeUsed", 0.951, Kind.VOLUME_FULL, "/"),
                Arguments.of("inodesUsed", 0.951, Kind.VOLUME_WITHOUT_INODES, "/"),
                Arguments.of("memoryUncorrected", 1, Kind.MEMORY_UNCORRECTED, "A1"),
                Arguments.of("failingDisks", 1, Kind.DISK_FAILING, "sda"),
                Arguments.of("missingDisks", 1, Kind.ARRAY_DEGRADED, "md0"),
                Arguments.of("volumeErrors", 1, Kind.VOLUME_ERRORS, "/"),
                Arguments.of("diskErrors", 1, Kind.DISK_ERRORS, "sda"),
                Arguments.of("cardErrors", 1, Kind.CARD_ERRORS, "eth0"),
                Arguments.of("linksSlower", 1, Kind.LINK_SLOWER, "eth0"),
                Arguments.of("throttles", 1, Kind.CPU_THROTTLED, "CPU"),
                Arguments.of("heat", 1, Kind.TOO_HOT, "cpu"),
                Arguments.of("memoryCorrected", 1, Kind.MEMORY_CORRECTED, "A1"),
                Arguments.of("clock", 0, Kind.CLOCK_FREE, "clock"));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void fault_isNamedWithItsPart(String name, double value, Kind kind, String part) {
        assertThat(PartFaults.of(told(10, name, value))).singleElement().satisfies(fault -> {
            assertThat(fault.kind()).isEqualTo(kind);
            assertThat(fault.part()).isEqualTo(part);
            assertThat(fault.text().en()).contains(part);
            assertThat(new IndexCatalogue().contains(kind.measure()))
                    .as(kind.measure())
                    .isTrue();
        });
    }

    @Test
    void soundHost_hasNoFault_thoughAnImageIsFull() {
        assertThat(PartFaults.of(told(10, "volumeUsed", 0.949))).isEmpty();
        assertThat(PartFaults.of(told(10, "heat", 0.999))).isEmpty();
        assertThat(PartFaults.of(told(10, "clock", 1))).isEmpty();
    }

    @Test
    void lastingFault_keepsTheTimeOfItsFirstSample_andEndsWithIt() {
        PartFaultMemory memory = new PartFaultMemory();
        memory.accept(told(10, "linksDown", 1));
        memory.accept(told(20, "linksDown", 1));
        PartFault down = memory.now().getFirst();
        assertThat(down.sinceMicros()).isEqualTo(10_000_000);
        assertThat(down.sentence().en())
                .isEqualTo(
                        "Part at fault since 1970-01-01 00:00:10 UTC: the link of eth0 is down.");

        memory.accept(told(30, "linksDown", 0));
        assertThat(memory.now()).isEmpty();
    }

    @Test
    void faultKnownByEvents_staysForFiveMinutesAfterTheLast() {
        PartFaultMemory memory = new PartFaultMemory();
        memory.accept(told(10, "cardErrors", 7));
        memory.accept(told(310, "cardErrors", 0));
        assertThat(memory.now()).extracting(PartFault::kind).isEqualTo(List.of(Kind.CARD_ERRORS));

        memory.accept(told(311, "cardErrors", 0));
        assertThat(memory.now()).isEmpty();
    }
}
