package dev.komainu.proxy.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.connection.Ending;
import dev.komainu.intermediary.connection.Side;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What every resource keeps to, whatever this machine tells of it. */
abstract class ResourceContract {

    /** As it is read in the product. */
    abstract Resource real();

    /** The same where the system tells nothing; where there is no such place, the same as {@link #real}. */
    abstract Resource untold();

    @Test
    void read_onThisMachine_isSaneEachTime() {
        Resource resource = real();
        for (int i = 0; i < 250; i++) {
            Reading now = resource.read();
            assertThat(now.used()).isNotNegative();
            assertThat(now.limit()).isNotNegative();
            assertThat(now.share()).isBetween(0.0, 100.0);
        }
    }

    @Test
    void read_whereNothingIsTold_isUnknown_andNeverThrows() {
        Resource resource = untold();
        if (resource.getClass() != real().getClass() || resource.ending() != Ending.CLIENTS) {
            Reading now = resource.read();
            assertThat(now.isKnown()).isFalse();
            assertThat(now.share()).isZero();
            assertThat(new Threshold(1, 0).isShort(now, true)).isFalse();
        }
    }

    @Test
    void isNamedByAShortage_andFreedBySomeSide() {
        assertThat(real().ending().isShortage()).isTrue();
        assertThat(Arrays.stream(Side.values()).anyMatch(real()::isFreedBy)).isTrue();
    }
}
