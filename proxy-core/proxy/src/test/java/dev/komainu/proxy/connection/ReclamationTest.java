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

    private CompletableFuture<Boolean> newClient(StagedLoop at) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        at.loop().execute(() -> reclamation.makeRoom(at, result::complete));
        return result;
    }

    private static boolean result(CompletableFuture<Boolean> newClient) throws Exception {
        return newClient.get(60, TimeUnit.SECONDS);
    }

    @Test
    void makeRoom_closesTheOldestOfAllLoops() throws Exception {
        here.idle(ConnectionSide.CLIENT, "young", 10);
        there.idle(ConnectionSide.CLIENT, "old", 30)
                .idle(ConnectionSide.CLIENT, "older than here", 20);
        assertThat(result(newClient(here))).isTrue();
        assertThat(there.closed).containsExactly("old");
        assertThat(result(newClient(here))).isTrue();
        assertThat(result(newClient(here))).isTrue();
        assertThat(here.closed).containsExactly("young");
        assertThat(there.closed).containsExactly("old", "older than here");
        assertThat(result(newClient(here))).as("nobody is idle").isFalse();
        assertThat(reclamation.counts().closedSoFar(ConnectionSide.CLIENT, CloseReason.NEWCOMER))
                .isEqualTo(3);
    }

    @Test
    void makeRoom_whereOnlyAThirdLoopHasOne_findsIt() throws Exception {
        elsewhere.idle(ConnectionSide.CLIENT, "since a moment ago", 1);
        assertThat(result(newClient(here))).isTrue();
        assertThat(elsewhere.closed).containsExactly("since a moment ago");
    }

    @Test
    void makeRoom_whereTheOldestWasUsedMeanwhile_goesOnToTheNext() throws Exception {
        here.idle(ConnectionSide.CLIENT, "young", 10);
        there.idle(ConnectionSide.CLIENT, "old", 30);
        there.turn(() -> there.idle(ConnectionSide.CLIENT).closeOldest(CloseReason.TIME));
        assertThat(result(newClient(here))).isTrue();
        assertThat(here.closed).containsExactly("young");
    }

    @Test
    void makeRoom_whileTheOthersLoopIsHeldUp_waits_andEntersThen() throws Exception {
        there.idle(ConnectionSide.CLIENT, "old", 30);
        CountDownLatch until = new CountDownLatch(1);
        there.holdUp(until);
        CompletableFuture<Boolean> newClient = newClient(here);
        here.turn(() -> {});
        assertThat(newClient).isNotDone();
        until.countDown();
        assertThat(result(newClient)).isTrue();
        assertThat(there.closed).containsExactly("old");
    }

    @Test
    void makeRoom_twoAtOnceForOneIdle_givesItToOneOfThem() throws Exception {
        elsewhere.idle(ConnectionSide.CLIENT, "only", 30);
        CountDownLatch until = new CountDownLatch(1);
        elsewhere.holdUp(until);
        CompletableFuture<Boolean> one = newClient(here);
        CompletableFuture<Boolean> other = newClient(there);
        here.turn(() -> {});
        there.turn(() -> {});
        until.countDown();
        assertThat(result(one) ^ result(other)).isTrue();
        assertThat(elsewhere.closed).containsExactly("only");
    }

    @Test
    void makeRoom_twoLoopsForEachOthersIdle_neverWaitForEachOther() throws Exception {
        here.idle(ConnectionSide.CLIENT, "of here", 10);
        there.idle(ConnectionSide.CLIENT, "of there", 10);
        CountDownLatch until = new CountDownLatch(1);
        here.holdUp(until);
        there.holdUp(until);
        CompletableFuture<Boolean> one = newClient(here);
        CompletableFuture<Boolean> other = newClient(there);
        until.countDown();
        assertThat(result(one)).isTrue();
        assertThat(result(other)).isTrue();
    }

    @Test
    void makeRoom_takesNoOriginsConnection_andNothingWhenItIsOff() throws Exception {
        here.idle(ConnectionSide.ORIGIN, "parked", 30);
        assertThat(result(newClient(here))).isFalse();
        here.idle(ConnectionSide.CLIENT, "idle", 30);
        reclamation.apply(new ReclaimSettings(
                false,
                ReclaimSettings.DEFAULT.usual(),
                Map.of(),
                ReclaimSettings.DEFAULT.plentiful(),
                Duration.ZERO));
        assertThat(result(newClient(here))).isFalse();
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
        assertThat(result(newClient(here))).isTrue();
        assertThat(result(newClient(here))).isFalse();
    }
}
