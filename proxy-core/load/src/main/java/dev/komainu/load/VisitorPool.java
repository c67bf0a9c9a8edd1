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
 * The visitors that are there: each with a browser and an address, on one of the loops. They come
 * by the clock ({@link #come}), or belong here and look at page after page until the end
 * ({@link #settle}).
 */
final class VisitorPool {

    private final Bootstrap connecting;
    private final ClientProfile manner;
    private final @Nullable VisitorAddresses addresses;
    private final PageRequestSource wishes;
    private final VisitModel habits;
    private final LoadMeasurements measured;
    private final long begunNanos;
    private final int most;
    private final AtomicInteger present = new AtomicInteger();
    private final Phaser under = new Phaser(1);
    private volatile boolean over;

    /**
     * @param connecting its group gives each visitor its loop
     * @param wishes safe for all threads
     * @param begunNanos when the load began
     * @param most visitors at once; more are turned away, and counted
     */
    VisitorPool(
            Bootstrap connecting,
            ClientProfile manner,
            @Nullable VisitorAddresses addresses,
            PageRequestSource wishes,
            VisitModel habits,
            LoadMeasurements measured,
            long begunNanos,
            int most) {
        this.connecting = connecting;
        this.manner = manner;
        this.addresses = addresses;
        this.wishes = wishes;
        this.habits = habits;
        this.measured = measured;
        this.begunNanos = begunNanos;
        this.most = most;
    }

    /** One visitor comes, who was due at {@code dueNanos}. */
    void come(long visit, long dueNanos, Random random) {
        if (present.incrementAndGet() > most) {
            present.decrementAndGet();
            measured.turnedAway(dueNanos);
            return;
        }
        begin(visit, dueNanos, habits.pages(random), random.nextLong());
    }

    /**
     * One of those who belong here: he looks at his first page at {@code firstNanos}, and goes on
     * to the end.
     */
    void settle(long visit, long firstNanos, long seed) {
        present.incrementAndGet();
        begin(visit, firstNanos, Integer.MAX_VALUE, seed);
    }

    private void begin(long visit, long firstNanos, int pages, long seed) {
        under.register();
        EventLoop loop = (EventLoop) connecting.config().group().next();
        InetAddress from = addresses == null ? null : addresses.address(visit);
        Visitor visitor = new Visitor(loop, from, pages, new Random(seed));
        long wait = firstNanos - System.nanoTime();
        if (wait <= 0) {
            loop.execute(() -> visitor.look(firstNanos));
        } else {
            loop.schedule(() -> visitor.look(firstNanos), wait, TimeUnit.NANOSECONDS);
        }
    }

    /** Nobody looks at another page from now on. */
    void close() {
        over = true;
    }

    int present() {
        return present.get();
    }

    /** Waits until all have left. @return false when some are still there after that long */
    boolean awaitEmpty(long seconds) throws InterruptedException {
        try {
            under.awaitAdvanceInterruptibly(under.arrive(), seconds, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** On its loop. */
    private final class Visitor {

        private final EventLoop loop;
        private final Browser browser;
        private final Random random;
        private int pagesLeft;
        /** Of the page looked at: objects not told of. */
        private int objectsLeft;

        private long pageWishedNanos;

        Visitor(EventLoop loop, @Nullable InetAddress from, int pages, Random random) {
            this.loop = loop;
            this.pagesLeft = pages;
            this.random = random;
            this.browser = new Browser(loop, connecting, manner, from, this::told);
        }

        void look(long wishedNanos) {
            if (over) {
                leave();
                return;
            }
            BrowserPage page = wishes.next((wishedNanos - begunNanos) / 1e9);
            pagesLeft--;
            objectsLeft = page.objects();
            pageWishedNanos = wishedNanos;
            measured.wished(
                    wishedNanos, page.objects(), Math.max(0, System.nanoTime() - wishedNanos));
            browser.view(page, wishedNanos, this::looked);
        }

        private void told(RequestOutcome outcome) {
            objectsLeft--;
            measured.told(outcome);
        }

        private void looked() {
            if (objectsLeft > 0) {
                measured.unwished(pageWishedNanos, objectsLeft);
            }
            if (pagesLeft <= 0 || over) {
                leave();
                return;
            }
            long pause = habits.pauseNanos(random);
            long next = System.nanoTime() + pause;
            loop.schedule(() -> look(next), pause, TimeUnit.NANOSECONDS);
        }

        private void leave() {
            browser.leave();
            present.decrementAndGet();
            under.arriveAndDeregister();
        }
    }
}
