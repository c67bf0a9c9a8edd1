package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import dev.komainu.intermediary.connection.IdleCounts;
import dev.komainu.intermediary.connection.IdleList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The search for idle connections of all loops that can be closed for new clients. Thread-safe.
 *
 * <p>At {@code connections.max} a new client replaces the client that is idle longest, or the
 * connection to an origin where those count, too. Each loop publishes the age of its oldest several
 * times a second. The loops are tried in that order, one after the other, until one has closed a
 * connection. A try costs two tasks per loop and happens at the limit only. One client is admitted
 * per closed connection, so that several clients never share one. No client is refused while an
 * idle connection is left: a loop that had none a moment ago is also tried, last.
 */
public final class Reclamation {

    /**
     * The largest number of clients that wait for other loops; each uses a descriptor beyond
     * {@code connections.max}.
     */
    private static final int MAX_WAITING = 1024;

    private final IdleCounts counts = new IdleCounts();
    private final List<IdleLoop> loops = new CopyOnWriteArrayList<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final WaitingClients queue = new WaitingClients();
    private final ClientCounts clients;
    private volatile ReclaimSettings settings;
    private volatile double fullest;
    private volatile ReclaimFigures figures;

    /**
     * Creates the reclamation.
     *
     * @param clients decides whether a connection to an origin may be closed for a new client
     */
    public Reclamation(ReclaimSettings settings, ClientCounts clients) {
        this.settings = settings;
        this.clients = clients;
        this.figures = ReclaimFigures.none(settings);
    }

    /** Adds a loop whose idle connections may be closed. */
    public void join(IdleLoop loop) {
        loops.add(loop);
    }

    /** Applies new settings. */
    public void apply(ReclaimSettings next) {
        settings = next;
    }

    public ReclaimSettings settings() {
        return settings;
    }

    public IdleCounts counts() {
        return counts;
    }

    List<IdleLoop> loops() {
        return loops;
    }

    /** Sets the used share of the fullest resource that idle clients use. */
    void fullest(double share) {
        fullest = share;
    }

    /** Returns the present idle timeout of clients. */
    public long clientIdleNanos(long baseNanos) {
        ReclaimSettings now = settings;
        return now.enabled()
                ? KeepAlive.nanos(
                        baseNanos,
                        now.plentiful().toNanos(),
                        fullest,
                        now.usual().beginPercent() / 100.0)
                : baseNanos;
    }

    /**
     * Closes the longest idle connection and reports to {@code result}, on {@code here}, whether
     * there was one; perhaps before it returns.
     *
     * @param here the new client's loop; the call comes from there
     */
    public void makeRoom(IdleLoop here, Consumer<Boolean> result) {
        if (!settings.enabled()) {
            result.accept(false);
            return;
        }
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            result.accept(closeOldest(here));
            return;
        }
        tryNext(byAge(here), here, closed -> {
            waiting.decrementAndGet();
            result.accept(closed);
        });
    }

    private long oldestAgeNanos(IdleLoop loop, long now) {
        long client = loop.idle(ConnectionSide.CLIENT).oldestAgeNanos(now);
        return clients.ofBothSides()
                ? Math.max(client, loop.idle(ConnectionSide.ORIGIN).oldestAgeNanos(now))
                : client;
    }

    /**
     * Closes a connection of this loop for a new client: first one that has never sent anything,
     * then those that were served. On the loop.
     *
     * @return whether one was closed that did not decline
     */
    boolean closeOldest(IdleLoop loop) {
        if (loop.silent().closeOne(System.nanoTime())) {
            return true;
        }
        IdleList clientIdle = loop.idle(ConnectionSide.CLIENT);
        if (!clients.ofBothSides()) {
            return clientIdle.closeOldest(CloseReason.NEWCOMER);
        }
        IdleList origins = loop.idle(ConnectionSide.ORIGIN);
        long now = System.nanoTime();
        clientIdle.publish();
        origins.publish();
        IdleList first =
                origins.oldestAgeNanos(now) > clientIdle.oldestAgeNanos(now) ? origins : clientIdle;
        return first.closeOldest(CloseReason.NEWCOMER)
                || (first == clientIdle ? origins : clientIdle).closeOldest(CloseReason.NEWCOMER);
    }

    /**
     * Reports whether the loop has a connection that may be closed for a new client; on the loop.
     */
    boolean hasIdle(IdleLoop loop) {
        return !loop.silent().isEmpty()
                || !loop.idle(ConnectionSide.CLIENT).isEmpty()
                || (clients.ofBothSides() && !loop.idle(ConnectionSide.ORIGIN).isEmpty());
    }

    private Iterator<IdleLoop> byAge(IdleLoop here) {
        long now = System.nanoTime();
        here.idle(ConnectionSide.CLIENT).publish();
        here.idle(ConnectionSide.ORIGIN).publish();
        record Aged(IdleLoop loop, long age) {}
        List<Aged> all = new ArrayList<>(loops.size());
        for (IdleLoop loop : loops) {
            all.add(new Aged(loop, oldestAgeNanos(loop, now)));
        }
        // Among equals the own loop comes first: it needs no task.
        all.sort(Comparator.comparingLong(Aged::age)
                .thenComparing(aged -> aged.loop() == here)
                .reversed());
        return all.stream().map(Aged::loop).iterator();
    }

    private void tryNext(Iterator<IdleLoop> next, IdleLoop here, Consumer<Boolean> result) {
        while (next.hasNext()) {
            IdleLoop loop = next.next();
            if (loop == here) {
                if (closeOldest(here)) {
                    result.accept(true);
                    return;
                }
            } else if (tryLoop(loop, next, here, result)) {
                return;
            }
        }
        result.accept(false);
    }

    private boolean tryLoop(
            IdleLoop loop, Iterator<IdleLoop> next, IdleLoop here, Consumer<Boolean> result) {
        try {
            loop.loop().execute(() -> {
                boolean closed = closeOldest(loop);
                try {
                    here.loop().execute(() -> {
                        if (closed) {
                            result.accept(true);
                        } else {
                            tryNext(next, here, result);
                        }
                    });
                } catch (RejectedExecutionException ending) {
                    // The new client's loop has ended, and with it the client.
                    waiting.decrementAndGet();
                }
            });
            return true;
        } catch (RejectedExecutionException ending) {
            return false;
        }
    }

    /**
     * Lets a new client wait for the next free connection, behind others.
     *
     * @param offered runs on any thread, once, unless {@link #leaveQueue} removed it; a client that
     *     no longer needs admission calls {@link #placeIsFree}
     * @return false when it must not wait, or too many do
     */
    public boolean joinQueue(Runnable offered) {
        ReclaimSettings now = settings;
        return now.enabled() && now.patience().isPositive() && queue.join(offered);
    }

    /**
     * Removes a client whose wait is over.
     *
     * @return false when it was offered admission in the meantime
     */
    public boolean leaveQueue(Runnable offered) {
        return queue.leave(offered);
    }

    /** Reports whether new clients wait. */
    public boolean isQueued() {
        return !queue.isEmpty();
    }

    /** Makes all loops close idle or silent connections while new clients wait. */
    public void giveWay() {
        for (IdleLoop loop : loops) {
            try {
                loop.loop().execute(loop::giveWay);
            } catch (RejectedExecutionException ending) {
                // Its connections end with it.
            }
        }
    }

    /**
     * Signals that there is room below {@code connections.max}: the first waiting client is
     * admitted.
     */
    public void placeIsFree() {
        queue.offer();
    }

    void publish(ReclaimFigures now) {
        figures = now;
    }

    /** Returns the figures as of the last second. */
    public ReclaimFigures figures() {
        return figures;
    }
}
