package dev.komainu.proxy.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** New clients at the limit, and the connections closed for them. */
class ReclamationTest {

    private final Reclamation reclamation =
            new Reclamation(ReclaimSettings.DEFAULT, new ClientCounts(ConnectionSettings.DEFAULT));
    private final StagedLoop here = new StagedLoop(reclamation);
    private final StagedLoop there = new StagedLoop(reclamation);
    private final StagedLoop elsewhere = new StagedLoop(reclamation);

    @AfterEach
    void tearDown() {
        here.close();
        there.close();
        elsewhere.close();
    }

    private CompletableFuture<Boolean> newcomer(StagedLoop at) {
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        at.loop().execute(() -> reclamation.makeRoom(at, told::complete));
        return told;
    }

    private static boolean told(CompletableFuture<Boolean> newcomer) throws Exception {
        return newcomer.get(60, TimeUnit.SECONDS);
    }

    @Test
    void makeRoom_closesTheOldestOfAllLoops() throws Exception {
        here.idle(ConnectionSide.CLIENT, "young", 10);
        there.idle(ConnectionSide.CLIENT, "old", 30)
                .idle(ConnectionSide.CLIENT, "older than here", 20);
        assertThat(told(newcomer(here))).isTrue();
        assertThat(there.closed).containsExactly("old");
        assertThat(told(newcomer(here))).isTrue();
        assertThat(told(newcomer(here))).isTrue();
        assertThat(here.closed).containsExactly("young");
        assertThat(there.closed).containsExactly("old", "older than here");
        assertThat(told(newcomer(here))).as("nobody is idle").isFalse();
        assertThat(reclamation.counts().closedSoFar(ConnectionSide.CLIENT, CloseReason.NEWCOMER))
                .isEqualTo(3);
    }

    @Test
    void makeRoom_whereOnlyAThirdLoopHasOne_findsIt() throws Exception {
        elsewhere.idle(ConnectionSide.CLIENT, "since a moment ago", 1);
        assertThat(told(newcomer(here))).isTrue();
        assertThat(elsewhere.closed).containsExactly("since a moment ago");
    }

    @Test
    void makeRoom_whereTheOldestWasUsedMeanwhile_goesOnToTheNext() throws Exception {
        here.idle(ConnectionSide.CLIENT, "young", 10);
        there.idle(ConnectionSide.CLIENT, "old", 30);
        there.turn(() -> there.idle(ConnectionSide.CLIENT).closeOldest(CloseReason.TIME));
        assertThat(told(newcomer(here))).isTrue();
        assertThat(here.closed).containsExactly("young");
    }

    @Test
    void makeRoom_whileTheOthersLoopIsHeldUp_waits_andEntersThen() throws Exception {
        there.idle(ConnectionSide.CLIENT, "old", 30);
        CountDownLatch until = new CountDownLatch(1);
        there.holdUp(until);
        CompletableFuture<Boolean> newcomer = newcomer(here);
        here.turn(() -> {});
        assertThat(newcomer).isNotDone();
        until.countDown();
        assertThat(told(newcomer)).isTrue();
        assertThat(there.closed).containsExactly("old");
    }

    @Test
    void makeRoom_twoAtOnceForOneIdle_givesItToOneOfThem() throws Exception {
        elsewhere.idle(ConnectionSide.CLIENT, "only", 30);
        CountDownLatch until = new CountDownLatch(1);
        elsewhere.holdUp(until);
        CompletableFuture<Boolean> one = newcomer(here);
        CompletableFuture<Boolean> other = newcomer(there);
        here.turn(() -> {});
        there.turn(() -> {});
        until.countDown();
        assertThat(told(one) ^ told(other)).isTrue();
        assertThat(elsewhere.closed).containsExactly("only");
    }

    @Test
    void makeRoom_twoLoopsForEachOthersIdle_neverWaitForEachOther() throws Exception {
        here.idle(ConnectionSide.CLIENT, "of here", 10);
        there.idle(ConnectionSide.CLIENT, "of there", 10);
        CountDownLatch until = new CountDownLatch(1);
        here.holdUp(until);
        there.holdUp(until);
        CompletableFuture<Boolean> one = newcomer(here);
        CompletableFuture<Boolean> other = newcomer(there);
        until.countDown();
        assertThat(told(one)).isTrue();
        assertThat(told(other)).isTrue();
    }

    @Test
    void makeRoom_takesNoOriginsConnection_andNothingWhenItIsOff() throws Exception {
        here.idle(ConnectionSide.ORIGIN, "parked", 30);
        assertThat(told(newcomer(here))).isFalse();
        here.idle(ConnectionSide.CLIENT, "idle", 30);
        reclamation.apply(new ReclaimSettings(
                false,
                ReclaimSettings.DEFAULT.usual(),
                Map.of(),
                ReclaimSettings.DEFAULT.plentiful(),
                Duration.ZERO));
        assertThat(told(newcomer(here))).isFalse();
        assertThat(here.closed).isEmpty();
        reclamation.fullest(0);
        assertThat(reclamation.clientIdleNanos(60))
                .as("nor does keep-alive grow")
                .isEqualTo(60);
    }

    @Test
    void makeRoom_whenAnotherLoopEnded_reportsAResult() throws Exception {
        there.close();
        here.idle(ConnectionSide.CLIENT, "idle", 1);
        assertThat(told(newcomer(here))).isTrue();
        assertThat(told(newcomer(here))).isFalse();
    }
}
