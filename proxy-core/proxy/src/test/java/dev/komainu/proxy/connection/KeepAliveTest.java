package dev.komainu.proxy.connection;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class KeepAliveTest {

    @Test
    void nanos_growsFromTheThresholdDownToNothingInUse() {
        assertThat(KeepAlive.nanos(60, 300, 0, 0.9)).isEqualTo(300);
        assertThat(KeepAlive.nanos(60, 300, 0.45, 0.9)).isEqualTo(180);
        assertThat(KeepAlive.nanos(60, 300, 0.9, 0.9)).isEqualTo(60);
        assertThat(KeepAlive.nanos(60, 300, 1.7, 0.9)).isEqualTo(60);
        assertThat(KeepAlive.nanos(60, 30, 0, 0.9)).as("never below the base").isEqualTo(60);
    }

    @Property
    void nanos_isBetweenTheTwo_andShorterTheMoreIsInUse(
            @ForAll @LongRange(min = 1, max = 1L << 52) long base,
            @ForAll @LongRange(max = 1L << 52) long more,
            @ForAll @DoubleRange(max = 2) double one,
            @ForAll @DoubleRange(max = 2) double other) {
        long atOne = KeepAlive.nanos(base, base + more, Math.min(one, other), 0.9);
        long atOther = KeepAlive.nanos(base, base + more, Math.max(one, other), 0.9);
        assertThat(atOne).isBetween(base, base + more).isGreaterThanOrEqualTo(atOther);
    }
}
