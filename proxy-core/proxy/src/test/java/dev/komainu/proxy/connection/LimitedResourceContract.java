package dev.komainu.proxy.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The contract of every resource, for any values that this machine reports. */
abstract class LimitedResourceContract {

    /** Returns the resource as the product reads it. */
    abstract LimitedResource real();

    /**
     * Returns the resource where the system reports nothing; where this cannot occur, the same as
     * {@link #real}.
     */
    abstract LimitedResource unreported();

    @Test
    void read_onThisMachine_isSaneEachTime() {
        LimitedResource resource = real();
        for (int i = 0; i < 250; i++) {
            ResourceUse now = resource.read();
            assertThat(now.used()).isNotNegative();
            assertThat(now.limit()).isNotNegative();
            assertThat(now.share()).isBetween(0.0, 100.0);
        }
    }

    @Test
    void read_whereNothingIsReported_isUnknown_andNeverThrows() {
        LimitedResource resource = unreported();
        if (resource.getClass() != real().getClass() || resource.reason() != CloseReason.CLIENTS) {
            ResourceUse now = resource.read();
            assertThat(now.isKnown()).isFalse();
            assertThat(now.share()).isZero();
            assertThat(new ShortageThreshold(1, 0).isShort(now, true)).isFalse();
        }
    }

    @Test
    void isNamedByAShortage_andFreedBySomeSide() {
        assertThat(real().reason().isShortage()).isTrue();
        assertThat(Arrays.stream(ConnectionSide.values()).anyMatch(real()::isFreedBy))
                .isTrue();
    }
}
