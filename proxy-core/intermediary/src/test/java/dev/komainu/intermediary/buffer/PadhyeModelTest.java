package dev.komainu.intermediary.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Scale;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class PadhyeModelTest {

    @Test
    void rate_isThatOfTheEquation() {
        // 1460 / (0.1 √(4·0.01/3) + 0.3 · 3 √(6·0.01/8) · 0.01 · 1.0032)
        assertThat(PadhyeModel.bytesPerSecond(0.1, 0.3, 0.01, 1460))
                .isCloseTo(118_420, Percentage.withPercentage(0.1));
        assertThat(PadhyeModel.bytesPerSecond(0.1, 0.3, 0, 1460)).isInfinite();
        // Half of all segments lost: the minimum is 1, and only timeouts remain.
        assertThat(PadhyeModel.bytesPerSecond(0.1, 1, 0.5, 1000))
                .isCloseTo(
                        1000 / (0.1 * Math.sqrt(2.0 / 3) + 0.5 * 9),
                        Percentage.withPercentage(0.1));
    }

    @Property
    void rate_isLess_withMoreLossOrALongerWay(
            @ForAll @DoubleRange(min = 0.0001, max = 2) @Scale(6) double rtt,
            @ForAll @DoubleRange(min = 0.00001, max = 0.5) @Scale(6) double loss,
            @ForAll @DoubleRange(min = 1, max = 4) double more) {
        double rate = PadhyeModel.bytesPerSecond(rtt, 3 * rtt, loss, 1460);
        assertThat(rate).isPositive().isFinite();
        assertThat(PadhyeModel.bytesPerSecond(rtt * more, 3 * rtt * more, loss, 1460))
                .isLessThanOrEqualTo(rate);
        assertThat(PadhyeModel.bytesPerSecond(rtt, 3 * rtt, Math.min(1, loss * more), 1460))
                .isLessThanOrEqualTo(rate);
        assertThat(PadhyeModel.bytesPerSecond(rtt, 3 * rtt, loss, 2920))
                .isCloseTo(2 * rate, Percentage.withPercentage(0.01));
    }
}
