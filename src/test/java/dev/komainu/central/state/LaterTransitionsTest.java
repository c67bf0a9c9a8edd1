package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.control.LaterWrites;
import dev.komainu.central.indices.LocalizedText;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionOperations;

/** Tests of transitions whose database breaks off. */
class LaterTransitionsTest {

    private static final Transition STOP = new Transition(
            "web:80",
            100,
            ServiceState.NORMAL,
            ServiceState.STOPPED_CRASHED,
            "stopped/refused",
            LocalizedText.of("c", "c"),
            List.of());

    private static final Transition RETURN = new Transition(
            "web:80",
            101,
            ServiceState.STOPPED_CRASHED,
            ServiceState.NORMAL,
            "normal",
            LocalizedText.of("c", "c"),
            List.of());

    /** Guarded by itself. */
    private final List<Transition> stored = new ArrayList<>();

    private volatile boolean losesAnswers;
    private volatile boolean away;
    private final AtomicInteger looks = new AtomicInteger();
    /** A commit whose answer is lost comes after what the transaction did. */
    private volatile boolean losesCommit;

    private final LaterWrites writes = new LaterWrites(new TransactionOperations() {
        @Override
        public <T> T execute(TransactionCallback<T> work) {
            T done = TransactionOperations.withoutTransaction().execute(work);
            if (losesCommit) {
                losesCommit = false;
                throw broken();
            }
            return done;
        }
    });
    private final LaterTransitions history = new LaterTransitions(
            new TransitionStore() {
                @Override
                public void keep(Transition transition) {
                    synchronized (stored) {
                        stored.add(transition);
                    }
                    if (losesAnswers) {
                        losesAnswers = false;
                        throw broken();
                    }
                }

                @Override
                public boolean isKept(Transition transition) {
                    looks.incrementAndGet();
                    synchronized (stored) {
                        return stored.contains(transition);
                    }
                }

                @Override
                public @Nullable Transition latest(String service) {
                    if (away) {
                        throw broken();
                    }
                    synchronized (stored) {
                        return stored.isEmpty() ? null : stored.getLast();
                    }
                }

                @Override
                public List<Integer> restartSeconds(String service) {
                    if (away) {
                        throw broken();
                    }
                    return List.of(7);
                }
            },
            writes);

    private static DataAccessResourceFailureException broken() {
        return new DataAccessResourceFailureException(
                "broken", new SQLException("broken", "08006"));
    }

    @BeforeEach
    void start() {
        writes.start();
    }

    @AfterEach
    void stop() {
        writes.stop();
    }

    @Test
    void keep_answerIsLost_storesOnce() {
        losesAnswers = true;
        history.keep(STOP);
        Awaitility.await().until(() -> looks.get() > 0 && writes.waiting() == 0);
        history.keep(RETURN);
        writes.stop();

        synchronized (stored) {
            assertThat(stored).extracting(Transition::atSecond).containsExactly(100L, 101L);
        }
    }

    @Test
    void keep_answerOfCommonCommitIsLost_storesEachOnce() {
        losesCommit = true;
        writes.stop();
        history.keep(STOP);
        history.keep(RETURN);
        writes.start();
        Awaitility.await().until(() -> looks.get() > 1 && writes.waiting() == 0);

        synchronized (stored) {
            assertThat(stored).containsExactly(STOP, RETURN);
        }
    }

    @Test
    void latest_away_isUnknown() {
        away = true;
        assertThat(history.latest("web:80")).isNull();
        assertThat(history.restartSeconds("web:80")).isEmpty();

        away = false;
        assertThat(history.restartSeconds("web:80")).containsExactly(7);
    }
}
