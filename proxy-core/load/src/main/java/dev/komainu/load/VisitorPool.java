package dev.komainu.load;

import dev.komainu.load.browser.Browser;
import dev.komainu.load.browser.BrowserPage;
import dev.komainu.load.browser.ClientProfile;
import dev.komainu.load.browser.RequestOutcome;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.Random;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The visitors now present, each with a browser and an address, on one of the event loops. They
 * arrive at scheduled instants ({@link #arrive}), or belong to a fixed population that views page
 * after page until the end ({@link #addResident}).
 */
// Scheduled visitors end with the event loop.
@SuppressWarnings("FutureReturnValueIgnored")
final class VisitorPool {

    private final Bootstrap connecting;
    private final ClientProfile profile;
    private final @Nullable VisitorAddresses addresses;
    private final PageRequestSource pages;
    private final VisitModel visitModel;
    private final LoadMeasurements measurements;
    private final long startNanos;
    private final int maxVisitors;
    private final AtomicInteger present = new AtomicInteger();
    private final Phaser visits = new Phaser(1);
    private volatile boolean closed;

    /**
     * Creates an empty pool.
     *
     * @param connecting its group provides each visitor's event loop
     * @param pages thread-safe
     * @param startNanos start of the load
     * @param maxVisitors limit of simultaneous visitors; more are turned away and counted
     */
    VisitorPool(
            Bootstrap connecting,
            ClientProfile profile,
            @Nullable VisitorAddresses addresses,
            PageRequestSource pages,
            VisitModel visitModel,
            LoadMeasurements measurements,
            long startNanos,
            int maxVisitors) {
        this.connecting = connecting;
        this.profile = profile;
        this.addresses = addresses;
        this.pages = pages;
        this.visitModel = visitModel;
        this.measurements = measurements;
        this.startNanos = startNanos;
        this.maxVisitors = maxVisitors;
    }

    /** Adds a visitor that was due at {@code dueNanos}. */
    void arrive(long visit, long dueNanos, Random random) {
        if (present.incrementAndGet() > maxVisitors) {
            present.decrementAndGet();
            measurements.turnedAway(dueNanos);
            return;
        }
        start(visit, dueNanos, visitModel.pages(random), random.nextLong());
    }

    /**
     * Adds a visitor of the fixed population, which views its first page at {@code firstNanos} and
     * continues until the end.
     */
    void addResident(long visit, long firstNanos, long seed) {
        present.incrementAndGet();
        start(visit, firstNanos, Integer.MAX_VALUE, seed);
    }

    private void start(long visit, long firstNanos, int pageCount, long seed) {
        visits.register();
        EventLoop loop = (EventLoop) connecting.config().group().next();
        InetAddress from = addresses == null ? null : addresses.address(visit);
        Visitor visitor = new Visitor(loop, from, pageCount, new Random(seed));
        long wait = firstNanos - System.nanoTime();
        if (wait <= 0) {
            loop.execute(() -> visitor.view(firstNanos));
        } else {
            loop.schedule(() -> visitor.view(firstNanos), wait, TimeUnit.NANOSECONDS);
        }
    }

    /** Ends the load: no visitor views another page. */
    void close() {
        closed = true;
    }

    int present() {
        return present.get();
    }

    /**
     * Waits until all visitors have left. Returns false when some are still present after this
     * time.
     */
    boolean awaitEmpty(long seconds) throws InterruptedException {
        try {
            visits.awaitAdvanceInterruptibly(visits.arrive(), seconds, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** A visitor. Used on its event loop. */
    private final class Visitor {

        private final EventLoop loop;
        private final Browser browser;
        private final Random random;
        private int pagesLeft;
        /** Objects of the viewed page without an outcome. */
        private int objectsLeft;

        private long pageDueNanos;

        Visitor(EventLoop loop, @Nullable InetAddress from, int pageCount, Random random) {
            this.loop = loop;
            this.pagesLeft = pageCount;
            this.random = random;
            this.browser = new Browser(loop, connecting, profile, from, this::onOutcome);
        }

        void view(long dueNanos) {
            if (closed) {
                leave();
                return;
            }
            BrowserPage page = pages.next((dueNanos - startNanos) / 1e9);
            pagesLeft--;
            objectsLeft = page.objects();
            pageDueNanos = dueNanos;
            measurements.requested(
                    dueNanos, page.objects(), Math.max(0, System.nanoTime() - dueNanos));
            browser.view(page, dueNanos, this::onPageDone);
        }

        private void onOutcome(RequestOutcome outcome) {
            objectsLeft--;
            measurements.add(outcome);
        }

        private void onPageDone() {
            if (objectsLeft > 0) {
                measurements.cancelRequests(pageDueNanos, objectsLeft);
            }
            if (pagesLeft <= 0 || closed) {
                leave();
                return;
            }
            long pause = visitModel.pauseNanos(random);
            long next = System.nanoTime() + pause;
            loop.schedule(() -> view(next), pause, TimeUnit.NANOSECONDS);
        }

        private void leave() {
            browser.leave();
            present.decrementAndGet();
            visits.arriveAndDeregister();
        }
    }
}
