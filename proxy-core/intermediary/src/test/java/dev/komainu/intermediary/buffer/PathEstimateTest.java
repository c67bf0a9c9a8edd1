package dev.komainu.intermediary.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.connection.TcpInfo;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** The rate from TCP_INFO, and the demand from the rate. */
class PathEstimateTest {

    private final ByteBuffer bytes =
            ByteBuffer.allocateDirect(TcpInfo.BYTES).order(ByteOrder.nativeOrder());
    private final TcpInfo info = new TcpInfo(bytes);

    private TcpInfo tcpInfo(long deliveryRate, long sent, long retransmitted) {
        bytes.putInt(8, 300_000).putInt(16, 1460).putInt(68, 100_000);
        bytes.putLong(160, deliveryRate).putLong(200, sent).putLong(208, retransmitted);
        return info;
    }

    @Test
    void outstanding_isWhatWasWrittenAndIsNotAcknowledged() {
        tcpInfo(0, 50_000, 3_000);
        bytes.putLong(120, 40_000).putInt(144, 9_000);
        assertThat(info.outstandingBytes()).isEqualTo(50_000 - 3_000 - 40_000 + 9_000);
        bytes.putLong(120, 99_000);
        assertThat(info.outstandingBytes()).as("a FIN counts as a byte").isZero();
    }

    @Test
    void rate_underCubic_isTheEquations_noLessThanWhatArrived() {
        PathEstimate path = new PathEstimate("cubic");
        assertThat(path.bytesPerSecond(tcpInfo(20_000, 100_000, 1_000), false))
                .isCloseTo(118_420, Percentage.withPercentage(1));
        assertThat(path.bytesPerSecond(tcpInfo(500_000, 200_000, 2_000), false)).isEqualTo(500_000);
    }

    @Test
    void rate_isNoLessThanTheWindowBringsIntoARoundTrip_whereALossWasEarly() {
        PathEstimate path = new PathEstimate("cubic");
        bytes.putInt(80, 30);
        assertThat(path.bytesPerSecond(tcpInfo(20_000, 30_000, 3_000), false))
                .isEqualTo(30 * 1460 / 0.1);
    }

    @Test
    void rate_withoutLoss_isUnbounded_andRemembersLossForAWhile() {
        PathEstimate path = new PathEstimate("reno");
        assertThat(path.bytesPerSecond(tcpInfo(20_000, 100_000, 0), false)).isInfinite();
        double lossy = path.bytesPerSecond(tcpInfo(20_000, 200_000, 1_000), false);
        assertThat(lossy).isFinite();
        double later = path.bytesPerSecond(tcpInfo(20_000, 300_000, 1_000), false);
        assertThat(later).isFinite().isGreaterThan(lossy);
    }

    @Test
    void rate_underBbr_isWhatArrived_whateverIsLost() {
        assertThat(new PathEstimate("bbr")
                        .bytesPerSecond(tcpInfo(6_000_000, 100_000, 10_000), false))
                .isEqualTo(6_000_000);
    }

    @Test
    void rate_underBbr_limitedByItsShare_isUnknown() {
        assertThat(new PathEstimate("bbr").bytesPerSecond(tcpInfo(6_000_000, 100_000, 0), true))
                .isInfinite();
        assertThat(new PathEstimate("cubic").bytesPerSecond(tcpInfo(20_000, 100_000, 1_000), true))
                .as("loss limits it nevertheless")
                .isFinite();
    }

    @Test
    void demand_isTwiceARoundTripsBytes_betweenItsLimits() {
        assertThat(BufferDemand.bytes(1_000_000, 0.1)).isEqualTo(200_000);
        assertThat(BufferDemand.bytes(10, 0.1)).isEqualTo(BufferDemand.MIN_BYTES);
        assertThat(BufferDemand.bytes(Double.POSITIVE_INFINITY, 0.1))
                .isEqualTo(BufferDemand.MAX_BYTES);
        assertThat(BufferDemand.limitingRate(3, 5)).isEqualTo(3);
        assertThat(BufferDemand.share(200_000, 100_000)).isEqualTo(100_000);
        assertThat(BufferDemand.share(200_000, 10)).isEqualTo(BufferDemand.FLOOR_BYTES);
    }
}
