package dev.komainu.central.control;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The newest answers of the database about credentials. They are used only while the database is
 * away, and for a limited time, so that agents can go on reporting. Any thread.
 *
 * @param <T> type of the answer
 */
public final class RememberedAnswers<T> {

    /**
     * Time for which an answer is used after the database gave it. A token that another process
     * revoked shortly before an outage works for that time.
     */
    public static final Duration LIFE = Duration.ofMinutes(15);

    /** Answers; the one that was not asked for the longest time gives way. */
    private static final int MOST = 10_000;

    private record Answer<T>(T value, Instant at) {}

    private final Clock clock;
    /** Guarded by itself. */
    private final Map<String, Answer<T>> answers = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Answer<T>> eldest) {
            return size() > MOST;
        }
    };

    /** Number of calls of {@link #clear} and {@link #forget}; guarded by {@code answers}. */
    private long generation;

    public RememberedAnswers(Clock clock) {
        this.clock = clock;
    }

    /** Asks the database, and returns the newest answer when it is away. */
    public Optional<T> ask(String key, Supplier<Optional<T>> question) {
        return ask(key, question, answer -> true);
    }

    /**
     * Asks the database, and returns the newest answer when it is away.
     *
     * @param question throws an exception of {@link ControlDataFailure#isOutage} when it is away;
     *     that exception is thrown on when there is no answer within {@link #LIFE}
     * @param usable whether a remembered answer still counts; the exception is thrown on otherwise
     */
    public Optional<T> ask(
            String key, Supplier<Optional<T>> question, Predicate<? super T> usable) {
        long before = generation();
        Optional<T> fresh;
        try {
            fresh = question.get();
        } catch (RuntimeException e) {
            Optional<T> remembered = ControlDataFailure.of(e).isOutage()
                    ? remembered(key).filter(usable)
                    : Optional.empty();
            if (remembered.isEmpty()) {
                throw e;
            }
            return remembered;
        }
        synchronized (answers) {
            if (fresh.isEmpty()) {
                answers.remove(key);
            } else if (before == generation) { // no right was taken while the database answered
                answers.put(key, new Answer<>(fresh.get(), clock.instant()));
            }
        }
        return fresh;
    }

    private long generation() {
        synchronized (answers) {
            return generation;
        }
    }

    private Optional<T> remembered(String key) {
        Instant now = clock.instant();
        synchronized (answers) {
            Answer<T> answer = answers.get(key);
            // One of the future: the clock was set back since.
            return answer == null
                            || answer.at().isAfter(now)
                            || answer.at().isBefore(now.minus(LIFE))
                    ? Optional.empty()
                    : Optional.of(answer.value());
        }
    }

    /** Forgets one answer, because what it tells was changed. */
    public void forget(String key) {
        synchronized (answers) {
            generation++;
            answers.remove(key);
        }
    }

    /** Forgets all answers, because rights were taken. */
    public void clear() {
        synchronized (answers) {
            generation++;
            answers.clear();
        }
    }
}
