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
 * Where idle connections of all loops are found when somebody else needs their place. Safe for all
 * threads.
 *
 * <p>At {@code connections.max} a newcomer gets the place of the client that is idle for longest,
 * or of the connection to an origin where those count, too. Each loop publishes the age of its
 * oldest several times a second; the loops are asked in that order, one after the other, until one
 * has closed a connection. Asking costs two tasks for each loop and happens at the limit only. One
 * place is given for one connection closed, so that several newcomers never share one, and none is
 * refused while an idle connection is left: a loop that knew of none a moment ago is asked all the
 * same, last.
 */
public final class Reclamation {

    /**
     * Newcomers that wait for other loops' word; each holds a descriptor beyond
     * {@code connections.max}.
     */
    private static final int MOST_WAITING = 1024;

    private final IdleCounts counts = new IdleCounts();
    private final List<IdleLoop> loops = new CopyOnWriteArrayList<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final WaitingClients queue = new WaitingClients();
    private final ClientCounts places;
    private volatile ReclaimSettings settings;
    private volatile double fullest;
    private volatile ReclaimFigures figures;

    /** @param places whether a newcomer may have the place of a connection to an origin */
    public Reclamation(ReclaimSettings settings, ClientCounts places) {
        this.settings = settings;
        this.places = places;
        this.figures = ReclaimFigures.none(settings);
    }

    /** Its idle connections are among those that may be closed. */
    public void join(IdleLoop loop) {
        loops.add(loop);
    }

    /** From now on. */
    public void ruleBy(ReclaimSettings next) {
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

    /** Of the resources that idle clients hold, how full the fullest is. */
    void fullest(double share) {
        fullest = share;
    }

    /** How long idle clients stay now. */
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
     * Closes the client that is idle for longest and tells {@code told}, on {@code here}, whether
     * there was one; perhaps before it returns.
     *
     * @param here the newcomer's loop; the call comes from there
     */
    public void makeRoom(IdleLoop here, Consumer<Boolean> told) {
        if (!settings.enabled()) {
            told.accept(false);
            return;
        }
        if (waiting.incrementAndGet() > MOST_WAITING) {
            waiting.decrementAndGet();
            told.accept(closeOldest(here));
            return;
        }
        ask(byAge(here), here, closed -> {
            waiting.decrementAndGet();
            told.accept(closed);
        });
    }

    private long oldestAgeNanos(IdleLoop loop, long now) {
        long client = loop.idle(ConnectionSide.CLIENT).oldestAgeNanos(now);
        return places.ofBothSides()
                ? Math.max(client, loop.idle(ConnectionSide.ORIGIN).oldestAgeNanos(now))
                : client;
    }

    /**
     * Of this loop, for a newcomer: one that never said anything before any that was served. On the
     * loop. @return whether there was one that did not decline
     */
    boolean closeOldest(IdleLoop loop) {
        if (loop.silent().closeOne(System.nanoTime())) {
            return true;
        }
        IdleList clients = loop.idle(ConnectionSide.CLIENT);
        if (!places.ofBothSides()) {
            return clients.closeOldest(CloseReason.NEWCOMER);
        }
        IdleList origins = loop.idle(ConnectionSide.ORIGIN);
        long now = System.nanoTime();
        clients.publish();
        origins.publish();
        IdleList first =
                origins.oldestAgeNanos(now) > clients.oldestAgeNanos(now) ? origins : clients;
        return first.closeOldest(CloseReason.NEWCOMER)
                || (first == clients ? origins : clients).closeOldest(CloseReason.NEWCOMER);
    }

    /** Whether it has one that might be closed for a newcomer; on the loop. */
    boolean hasIdle(IdleLoop loop) {
        return !loop.silent().isEmpty()
                || !loop.idle(ConnectionSide.CLIENT).isEmpty()
                || places.ofBothSides() && !loop.idle(ConnectionSide.ORIGIN).isEmpty();
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

    private void ask(Iterator<IdleLoop> next, IdleLoop here, Consumer<Boolean> told) {
        while (next.hasNext()) {
            IdleLoop loop = next.next();
            if (loop == here) {
                if (closeOldest(here)) {
                    told.accept(true);
                    return;
                }
            } else if (asked(loop, next, here, told)) {
                return;
            }
        }
        told.accept(false);
    }

    private boolean asked(
            IdleLoop loop, Iterator<IdleLoop> next, IdleLoop here, Consumer<Boolean> told) {
        try {
            loop.loop().execute(() -> {
                boolean closed = closeOldest(loop);
                try {
                    here.loop().execute(() -> {
                        if (closed) {
                            told.accept(true);
                        } else {
                            ask(next, here, told);
                        }
                    });
                } catch (RejectedExecutionException ending) {
                    // The newcomer's loop is gone, and the newcomer with it.
                    waiting.decrementAndGet();
                }
            });
            return true;
        } catch (RejectedExecutionException ending) {
            return false;
        }
    }

    /**
     * A newcomer for whom there was no idle connection waits for the next place, behind others.
     *
     * @param offered runs on any thread, once, unless {@link #leaveQueue} removed it; who needs no
     *     place any more says {@link #placeIsFree}
     * @return false: it may not wait, or too many do
     */
    public boolean joinQueue(Runnable offered) {
        ReclaimSettings now = settings;
        return now.enabled() && now.patience().isPositive() && queue.join(offered);
    }

    /** Its patience is over. @return false: it has been offered a place meanwhile */
    public boolean leaveQueue(Runnable offered) {
        return queue.leave(offered);
    }

    /** Whether an idle connection would be of use to somebody. */
    public boolean isQueued() {
        return !queue.isEmpty();
    }

    /**
     * Whoever becomes idle, or is found to say nothing, gives its place from now on while somebody
     * waits for it.
     */
    public void giveWay() {
        for (IdleLoop each : loops) {
            try {
                each.loop().execute(each::giveWay);
            } catch (RejectedExecutionException ending) {
                // Its connections end with it.
            }
        }
    }

    /** Below {@code connections.max} is room for one more: whoever waits first may have it. */
    public void placeIsFree() {
        queue.offer();
    }

    void told(ReclaimFigures now) {
        figures = now;
    }

    /** As of the last second. */
    public ReclaimFigures figures() {
        return figures;
    }
}
