package dev.komainu.proxy.cache.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityPrefix;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The paper's S_target (spec section 3). */
class TargetRuleTest {

    private static TargetRule rule(PartitionMode mode, int floor, int damping) {
        return new TargetRule(
                new PartitionSettings(mode, List.of(PriorityPrefix.parse("/a/")), floor, damping),
                100,
                1_000);
    }

    @Test
    void target_risesByTheNormalPoolsUnreferencedBytes() {
        assertThat(rule(PartitionMode.PARTITION, 20, 20).raised(300, 250)).isEqualTo(550);
    }

    @Test
    void target_fallsByTheDampedShareOfTheProtectedPoolsUnreferencedBytes() {
        assertThat(rule(PartitionMode.PARTITION, 20, 20).lowered(600, 400)).isEqualTo(520);
        assertThat(rule(PartitionMode.PARTITION, 20, 100).lowered(600, 300)).isEqualTo(300);
    }

    @Test
    void target_keepsTheFloor_andTheLargestObjectForEachPool() {
        assertThat(rule(PartitionMode.PARTITION, 20, 100).lowered(600, 590)).isEqualTo(200);
        assertThat(rule(PartitionMode.PARTITION, 5, 100).lowered(600, 590)).isEqualTo(100);
        assertThat(rule(PartitionMode.PARTITION, 20, 100).raised(600, 390)).isEqualTo(900);
        assertThat(new TargetRule(rule(PartitionMode.PARTITION, 5, 20).settings(), 700, 1_000)
                        .target(0))
                .as("a quarter at most")
                .isEqualTo(250);
    }

    @Test
    void target_ofBasicIsTheMaximum_ofSingleZero() {
        assertThat(rule(PartitionMode.BASIC, 20, 20).target(0)).isEqualTo(900);
        assertThat(rule(PartitionMode.SINGLE, 20, 20).target(500)).isZero();
    }

    @Test
    void target_ofAFloorAboveTheBound_isTheBound() {
        assertThat(new TargetRule(rule(PartitionMode.PARTITION, 80, 20).settings(), 300, 1_000)
                        .target(0))
                .isEqualTo(750);
    }
}
