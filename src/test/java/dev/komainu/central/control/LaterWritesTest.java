package dev.komainu.central.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.transaction.support.SimpleTransactionStatus;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionOperations;

/** Tests of the queue of writes on the test's thread. */
class LaterWritesTest {

    private final List<String> done = new ArrayList<>();
    private final LaterWrites writes =
            new LaterWrites(TransactionOperations.withoutTransaction(), 3);

    private static DataAccessResourceFailureException away() {
        return new DataAccessResourceFailureException(
                "away", new SQLException("no connection", "08006"));
    }

    private void queue(String key, String what) {
        writes.run(key, () -> done.add(what));
    }

    private void runAll() {
        while (writes.runNext()) {
            // runNext() carries out what waits
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

        assertThat(writes.runNext()).isFalse();
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
    void run_manyThatWait_areCarriedOutInFewTransactions() {
        AtomicInteger transactions = new AtomicInteger();
        LaterWrites many = new LaterWrites(counting(transactions));
        for (int i = 0; i < 500; i++) {
            int number = i;
            many.run(i, () -> done.add("write " + number));
        }
        while (many.runNext()) {
            // until none waits
        }

        assertThat(done).hasSize(500).startsWith("write 0").endsWith("write 499");
        assertThat(transactions).hasValue(3);
    }

    @Test
    void run_oneOfSeveralRefused_theOthersAreCarriedOutAfterTheRollback() {
        LaterWrites rolledBack = new LaterWrites(new TransactionOperations() {
            @Override
            public <T> T execute(TransactionCallback<T> action) {
                List<String> before = List.copyOf(done);
                try {
                    return action.doInTransaction(new SimpleTransactionStatus());
                } catch (RuntimeException e) {
                    done.clear();
                    done.addAll(before);
                    throw e;
                }
            }
        });
        rolledBack.run("a", () -> done.add("a"));
        rolledBack.run("b", () -> {
            throw new DataIntegrityViolationException(
                    "too long", new SQLException("too long", "22001"));
        });
        rolledBack.run("c", () -> done.add("c"));

        assertThat(rolledBack.runNext()).isTrue();
        assertThat(done).containsExactly("a", "c");
        assertThat(rolledBack.dropped()).isEqualTo(1);
    }

    private static TransactionOperations counting(AtomicInteger transactions) {
        return new TransactionOperations() {
            @Override
            public <T> T execute(TransactionCallback<T> action) {
                transactions.incrementAndGet();
                return action.doInTransaction(new SimpleTransactionStatus());
            }
        };
    }

    @Test
    void stop_carriesOutWhatWaits() {
        List<String> later = new java.util.concurrent.CopyOnWriteArrayList<>();
        LaterWrites running = new LaterWrites(TransactionOperations.withoutTransaction());
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
