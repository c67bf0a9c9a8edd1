package dev.komainu.central.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;

/** Tests of the queue of writes on the test's thread. */
class LaterWritesTest {

    private final List<String> done = new ArrayList<>();
    private final LaterWrites writes = new LaterWrites(false, 3);

    private static DataAccessResourceFailureException away() {
        return new DataAccessResourceFailureException(
                "away", new SQLException("no connection", "08006"));
    }

    private void queue(String key, String what) {
        writes.run(key, () -> done.add(what));
    }

    private void runAll() {
        while (writes.runFirst()) {
            // runFirst() carries out one write
        }
    }

    @Test
    void run_severalOfOneKey_carriesOutTheNewestInItsPlaceInTheOrder() {
        queue("a", "a1");
        queue("b", "b1");
        queue("a", "a2");
        runAll();

        assertThat(done).containsExactly("b1", "a2");
    }

    @Test
    void run_whileTheDatabaseIsAway_keepsTheOrder() {
        List<Boolean> here = new ArrayList<>(List.of(false));
        writes.run("a", () -> {
            if (!here.getFirst()) {
                throw away();
            }
            done.add("a");
        });
        queue("b", "b");

        assertThat(writes.runFirst()).isFalse();
        assertThat(done).isEmpty();
        assertThat(writes.waiting()).isEqualTo(2);

        here.set(0, true);
        runAll();
        assertThat(done).containsExactly("a", "b");
        assertThat(writes.dropped()).isZero();
    }

    @Test
    void run_refusedWrite_isDroppedAndCounted_theNextIsCarriedOut() {
        writes.run("a", () -> {
            throw new DataIntegrityViolationException(
                    "too long", new SQLException("too long", "22001"));
        });
        queue("b", "b");
        runAll();

        assertThat(done).containsExactly("b");
        assertThat(writes.dropped()).isEqualTo(1);
    }

    @Test
    void run_aboveTheLimit_dropsTheOldest() {
        for (String each : List.of("a", "b", "c", "d")) {
            queue(each, each);
        }
        runAll();

        assertThat(done).containsExactly("b", "c", "d");
        assertThat(writes.dropped()).isEqualTo(1);
    }

    @Test
    void run_atOnce_isCarriedOutByTheCaller_whoseExceptionItIs() {
        LaterWrites atOnce = new LaterWrites(true);
        atOnce.run("a", () -> done.add("a"));

        assertThat(done).containsExactly("a");
        assertThatThrownBy(() -> atOnce.run("b", () -> {
                    throw away();
                }))
                .isInstanceOf(DataAccessResourceFailureException.class);
    }

    @Test
    void stop_carriesOutWhatWaits() {
        List<String> later = new java.util.concurrent.CopyOnWriteArrayList<>();
        LaterWrites running = new LaterWrites(false);
        running.start();
        running.run("a", () -> later.add("a"));
        Awaitility.await().until(() -> later.contains("a"));
        running.run("b", () -> later.add("b"));
        running.run("c", () -> later.add("c"));
        running.stop();

        assertThat(later).containsExactly("a", "b", "c");
        assertThat(running.waiting()).isZero();
    }
}
