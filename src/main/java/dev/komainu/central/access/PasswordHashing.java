package dev.komainu.central.access;

import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.stereotype.Component;

/**
 * The threads on which passwords are hashed, apart from those of requests. One hash costs about 60
 * ms of CPU, and every stranger can cause one; on the requests' own threads a few strangers would
 * stop all requests.
 *
 * <p>Work of known browsers and sessions has a queue of its own and precedes the work of strangers.
 * A caller waits on its own virtual thread. Each queue is bounded:
 *
 * <table><caption>Limits</caption>
 * <tr><th>name</th><th>value</th><th>consequence</th></tr>
 * <tr><td>{@link #MOST_OF_STRANGERS}</td><td>50</td><td>{@link HashingBusyException}</td></tr>
 * <tr><td>{@link #MOST_OF_KNOWN}</td><td>20</td><td>{@link HashingBusyException}</td></tr>
 * </table>
 */
@Component
public class PasswordHashing implements DisposableBean {

    static final int MOST_OF_STRANGERS = 50;
    static final int MOST_OF_KNOWN = 20;

    /** The party that causes a hash. Those that come first precede the others. */
    enum Party {
        /** A session, a browser that was logged in before, or the service itself. */
        KNOWN,
        STRANGER
    }

    private record Task(Party party, long number, Runnable work) implements Runnable {
        @Override
        public void run() {
            work.run();
        }
    }

    private final PasswordEncoder encoder;
    private final Semaphore strangers = new Semaphore(MOST_OF_STRANGERS);
    private final Semaphore known = new Semaphore(MOST_OF_KNOWN);
    private final AtomicLong number = new AtomicLong();
    private final ThreadPoolExecutor threads;

    @Autowired
    public PasswordHashing(PasswordEncoder encoder) {
        this(encoder, Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 2));
    }

    PasswordHashing(PasswordEncoder encoder, int threads) {
        this.encoder = encoder;
        this.threads = new ThreadPoolExecutor(
                threads,
                threads,
                0,
                TimeUnit.SECONDS,
                new PriorityBlockingQueue<>(
                        MOST_OF_STRANGERS + MOST_OF_KNOWN,
                        Comparator.comparing(work -> ((Task) work).party())
                                .thenComparing(work -> ((Task) work).number())),
                Thread.ofPlatform().daemon().name("passwords-", 0).factory());
    }

    /**
     * Returns the hash of a new password.
     *
     * @throws HashingBusyException when the queue is full
     */
    String encode(String password) {
        return run(Party.KNOWN, () -> hashed(password));
    }

    private String hashed(String password) {
        String hash = encoder.encode(password);
        if (hash == null) {
            throw new IllegalStateException("The encoder returned no hash");
        }
        return hash;
    }

    /**
     * Compares a password with a hash.
     *
     * @throws HashingBusyException when the party's queue is full; nothing was compared
     */
    boolean matches(Party party, String password, String hash) {
        return run(party, () -> encoder.matches(password, hash));
    }

    private <T> T run(Party party, Supplier<T> work) {
        Semaphore places = party == Party.KNOWN ? known : strangers;
        if (!places.tryAcquire()) {
            throw new HashingBusyException(threads.getQueue().size());
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        boolean accepted = false;
        try {
            threads.execute(new Task(party, number.getAndIncrement(), () -> {
                try {
                    result.complete(work.get());
                } catch (RuntimeException | Error e) {
                    result.completeExceptionally(e);
                } finally {
                    places.release();
                }
            }));
            accepted = true;
        } finally {
            if (!accepted) {
                places.release();
            }
        }
        try {
            return result.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new HashingBusyException(threads.getQueue().size());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Returns the number of further checks of strangers that would be accepted. */
    int placesOfStrangers() {
        return strangers.availablePermits();
    }

    /** Returns the number of further checks of known browsers that would be accepted. */
    int placesOfKnown() {
        return known.availablePermits();
    }

    @Override
    public void destroy() {
        threads.shutdownNow();
    }
}
