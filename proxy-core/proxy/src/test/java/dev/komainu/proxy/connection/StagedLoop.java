package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.IdleList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A loop without connections: idle ones are names, and it can be blocked. */
final class StagedLoop implements IdleLoop, AutoCloseable {

    final List<String> closed = new CopyOnWriteArrayList<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final IdleList clients;
    private final IdleList origins;
    private final SilentClients silent;

    StagedLoop(Reclamation of) {
        long now = System.nanoTime();
        clients = new IdleList(ConnectionSide.CLIENT, TimeUnit.HOURS.toNanos(1), now, of.counts());
        origins = new IdleList(ConnectionSide.ORIGIN, TimeUnit.HOURS.toNanos(1), now, of.counts());
        silent = new SilentClients(of.counts());
        of.join(this);
    }

    /** Adds a connection that is idle for this many seconds. The oldest must be added first. */
    StagedLoop idle(ConnectionSide side, String name, long seconds) {
        turn(() -> {
            idle(side)
                    .append(
                            new DeadlineList.Entry() {
                                @Override
                                protected void expired() {
                                    closed.add(name);
                                }
                            },
                            System.nanoTime() - TimeUnit.SECONDS.toNanos(seconds));
        });
        return this;
    }

    /** Runs a task on the loop, after all earlier tasks. */
    void turn(Runnable task) {
        try {
            thread.submit(task).get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Keeps the loop busy until the latch opens. */
    void holdUp(CountDownLatch until) {
        CountDownLatch begun = new CountDownLatch(1);
        thread.execute(() -> {
            begun.countDown();
            try {
                until.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            begun.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public ExecutorService loop() {
        return thread;
    }

    @Override
    public IdleList idle(ConnectionSide side) {
        return side == ConnectionSide.CLIENT ? clients : origins;
    }

    @Override
    public void giveWay() {}

    @Override
    public SilentClients silent() {
        return silent;
    }

    @Override
    public void reclaim(ConnectionSide side, long sinceNanos, CloseReason why) {
        if (idle(side).close(sinceNanos, 1, why)) {
            thread.execute(() -> reclaim(side, sinceNanos, why));
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
