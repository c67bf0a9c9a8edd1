package dev.komainu.central.control;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * The repetition of a write until the database of control data is back. For threads that may wait,
 * and for writes that can be repeated: when a connection breaks during a commit, it is not known
 * whether the write was carried out.
 */
public final class ControlRetry {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** The time between two attempts; tests let none pass. */
    public interface Pause {
        void pause() throws InterruptedException;
    }

    private final Pause pause;

    public ControlRetry() {
        this(() -> Thread.sleep(PAUSE));
    }

    public ControlRetry(Pause pause) {
        this.pause = pause;
    }

    /**
     * Carries out a write; during an outage, again and again.
     *
     * @param goOn whether to try again; asked before each pause
     * @return false when it was not carried out, because {@code goOn} ended the attempts
     */
    public boolean run(Runnable write, BooleanSupplier goOn) {
        while (true) {
            try {
                write.run();
                return true;
            } catch (DataAccessException | TransactionException e) {
                if (!ControlDataFailure.of(e).isOutage()) {
                    throw e;
                }
                if (!goOn.getAsBoolean()) {
                    return false;
                }
            }
            try {
                pause.pause();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}
