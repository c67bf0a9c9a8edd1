package dev.komainu.organizer.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.route.Outlook.Reach;
import dev.komainu.organizer.route.Outlooks.Ending;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OutlooksTest {

    private static final MemberId A = new MemberId("a");

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000_000);
    private final Outlooks outlooks = new Outlooks(nanos::get);

    private void pass(long millis) {
        nanos.addAndGet(Duration.ofMillis(millis).toNanos());
    }

    private static LoadReport report(long incarnation, long sequence, int inFlight, ServerState state) {
        return new LoadReport(A, incarnation, 1, sequence, inFlight, 700, 0, 0, state, Map.of());
    }

    @Test
    void inFlight_betweenReports_countsWhatBeganAndEndedHere() {
        outlooks.began(A);
        outlooks.began(A);
        outlooks.reported(report(1, 1, 10, ServerState.UP));
        assertThat(outlooks.of(A).inFlight()).isEqualTo(10);
        outlooks.began(A);
        assertThat(outlooks.of(A).inFlight()).isEqualTo(11);
        outlooks.ended(A, Ending.ANSWERED);
        outlooks.ended(A, Ending.ANSWERED);
        assertThat(outlooks.of(A).inFlight()).isEqualTo(9);
        outlooks.reported(report(1, 2, 0, ServerState.UP));
        assertThat(outlooks.of(A).inFlight()).isEqualTo(1);
    }

    @Test
    void reported_olderThanKnown_changesNothing() {
        outlooks.reported(report(1, 2, 5, ServerState.SATURATED));
        outlooks.reported(report(1, 1, 0, ServerState.UP));
        assertThat(outlooks.of(A).state()).isEqualTo(ServerState.SATURATED);
        outlooks.reported(report(2, 1, 0, ServerState.UP));
        assertThat(outlooks.of(A).state()).isEqualTo(ServerState.UP);
    }

    @Test
    void unreached_restsThenOneTriesAtATime_fourSecondsAtMost() {
        outlooks.began(A);
        outlooks.ended(A, Ending.UNREACHED);
        assertThat(outlooks.of(A).reach()).isEqualTo(Reach.RESTING);
        pass(1000);
        assertThat(outlooks.of(A).reach()).isEqualTo(Reach.DUE);
        outlooks.began(A);
        assertThat(outlooks.of(A).reach()).as("while one tries").isEqualTo(Reach.RESTING);
        for (int failures = 0; failures < 10; failures++) {
            outlooks.ended(A, Ending.UNREACHED);
            pass(4000);
            assertThat(outlooks.of(A).reach()).isEqualTo(Reach.DUE);
            outlooks.began(A);
        }
        outlooks.ended(A, Ending.ANSWERED);
        assertThat(outlooks.of(A).reach()).isEqualTo(Reach.REACHED);
    }

    @Test
    void reported_newLife_isAskedAtOnce() {
        outlooks.reported(report(1, 1, 0, ServerState.UP));
        outlooks.began(A);
        outlooks.ended(A, Ending.UNREACHED);
        outlooks.reported(report(1, 2, 0, ServerState.UP));
        assertThat(outlooks.of(A).reach()).isEqualTo(Reach.RESTING);
        outlooks.reported(report(2, 1, 0, ServerState.UP));
        assertThat(outlooks.of(A).reach()).isEqualTo(Reach.REACHED);
    }

    @Test
    void measured_delays_moveByAnEighth() {
        outlooks.measured(A, 800);
        outlooks.measured(A, 1600);
        assertThat(outlooks.of(A).delayMicros()).isEqualTo(900);
        outlooks.keep(List.of());
        assertThat(outlooks.of(A)).isEqualTo(Outlook.UNKNOWN);
    }
}
