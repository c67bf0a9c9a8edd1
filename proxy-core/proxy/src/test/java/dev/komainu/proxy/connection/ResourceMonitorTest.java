package dev.komainu.proxy.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The connections closed at given uses of the resources. */
class ResourceMonitorTest {

    /** The used units, of 100. */
    private static final class Scripted implements LimitedResource {
        private final CloseReason ending;
        private final boolean counts;
        long used;

        Scripted(CloseReason ending, boolean counts) {
            this.ending = ending;
            this.counts = counts;
        }

        @Override
        public CloseReason reason() {
            return ending;
        }

        @Override
        public boolean countsConnections() {
            return counts;
        }

        @Override
        public ResourceUse read() {
            return new ResourceUse(used, 100);
        }
    }

    private final Reclamation reclamation =
            new Reclamation(ReclaimSettings.DEFAULT, new ClientCounts(ConnectionSettings.DEFAULT));
    private final StagedLoop one = new StagedLoop(reclamation);
    private final StagedLoop two = new StagedLoop(reclamation);
    private final Scripted descriptors = new Scripted(CloseReason.DESCRIPTORS, true);
    private final Scripted ports = new Scripted(CloseReason.PORTS, true);
    private final Scripted buffers = new Scripted(CloseReason.BUFFERS, false);
    private final ResourceMonitor monitor = new ResourceMonitor(
            reclamation, List.of(descriptors, ports, buffers), () -> TimeUnit.SECONDS.toNanos(60));

    @AfterEach
    void tearDown() {
        monitor.close();
        one.close();
        two.close();
    }

    private void look() {
        monitor.check();
        // Runs after the tasks that the check sent to the loops, and their own tasks.
        for (int i = 0; i < 20; i++) {
            one.turn(() -> {});
            two.turn(() -> {});
        }
    }

    @Test
    void look_beyondAThreshold_closesTheOldestOfAllLoopsAndSides() {
        one.idle(ConnectionSide.CLIENT, "client 50", 50)
                .idle(ConnectionSide.CLIENT, "client 20", 20);
        two.idle(ConnectionSide.CLIENT, "client 40", 40)
                .idle(ConnectionSide.ORIGIN, "origin 30", 30);
        descriptors.used = 89;
        look();
        assertThat(one.closed).isEmpty();
        descriptors.used = 88 + 2;
        reclamation.apply(new ReclaimSettings(
                true,
                new ShortageThreshold(90, 87),
                Map.of(),
                ReclaimSettings.DEFAULT.plentiful(),
                Duration.ZERO));
        look();
        assertThat(one.closed).containsExactly("client 50");
        assertThat(two.closed).containsExactlyInAnyOrder("client 40", "origin 30");
        descriptors.used = 88;
        look();
        assertThat(one.closed)
                .as("until below the end, not the beginning")
                .containsExactly("client 50", "client 20");
        assertThat(reclamation.counts().closedSoFar(ConnectionSide.CLIENT, CloseReason.DESCRIPTORS))
                .isEqualTo(3);
        assertThat(reclamation.counts().closedSoFar(ConnectionSide.ORIGIN, CloseReason.DESCRIPTORS))
                .isOne();
    }

    @Test
    void look_shortOfPorts_closesOnlyConnectionsToOrigins() {
        one.idle(ConnectionSide.CLIENT, "client", 50).idle(ConnectionSide.ORIGIN, "origin", 1);
        ports.used = 99;
        look();
        assertThat(one.closed).containsExactly("origin");
    }

    @Test
    void look_shortOfMemory_closesInPortions_untilItSuffices() {
        for (int i = 0; i < 40; i++) {
            one.idle(ConnectionSide.CLIENT, "client " + i, 100 - i);
        }
        buffers.used = 95;
        look();
        assertThat(one.closed).hasSize(16).first().isEqualTo("client 0");
        buffers.used = 80;
        look();
        assertThat(one.closed).hasSize(16);
    }

    @Test
    void check_oneShortageEndsAnother_closesNoneTwice() {
        for (int i = 0; i < 40; i++) {
            one.idle(ConnectionSide.CLIENT, "client " + i, 100 - i);
        }
        descriptors.used = 95;
        buffers.used = 95;
        look();
        assertThat(one.closed).as("ten for descriptors, six more for memory").hasSize(16);
    }

    @Test
    void check_switchedOff_closesNone_andStillReports() {
        reclamation.apply(new ReclaimSettings(
                false,
                ReclaimSettings.DEFAULT.usual(),
                Map.of(),
                ReclaimSettings.DEFAULT.plentiful(),
                Duration.ZERO));
        one.idle(ConnectionSide.CLIENT, "client", 50);
        descriptors.used = 100;
        look();
        assertThat(one.closed).isEmpty();
        ReclaimFigures told = reclamation.figures();
        assertThat(told.enabled()).isFalse();
        assertThat(told.levels())
                .contains(new ReclaimFigures.Level(
                        CloseReason.DESCRIPTORS, 100, 100, new ShortageThreshold(90, 85), true));
    }

    @Test
    void check_reportsAgesAndReasons_andTheIdleTimeout() {
        one.idle(ConnectionSide.CLIENT, "a", 50).idle(ConnectionSide.CLIENT, "b", 2);
        two.idle(ConnectionSide.CLIENT, "c", 400).idle(ConnectionSide.ORIGIN, "d", 10);
        descriptors.used = 45;
        look();
        ReclaimFigures told = reclamation.figures();
        assertThat(told.clientAges()).containsExactly(0, 1, 0, 1, 0, 1);
        assertThat(told.originAges()).containsExactly(0, 0, 1, 0, 0, 0);
        assertThat(told.clientIdleMillis()).as("half-way from 60 s to 5 min").isEqualTo(180_000);
        assertThat(told.closed()).allMatch(closed -> closed.count() == 0).hasSize(15);
    }

    @Test
    void look_whileALoopIsHeldUp_doesWithoutIt() {
        one.idle(ConnectionSide.CLIENT, "a", 50);
        two.idle(ConnectionSide.CLIENT, "b", 60);
        CountDownLatch until = new CountDownLatch(1);
        two.holdUp(until);
        descriptors.used = 100;
        monitor.check();
        one.turn(() -> {});
        one.turn(() -> {});
        assertThat(one.closed).containsExactly("a");
        until.countDown();
    }
}
