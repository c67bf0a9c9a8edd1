package dev.komainu.central.audit.outside;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The virtual thread of a feed, which waits for new rows. It is never interrupted. */
final class FeedThread {

    private static final Logger LOG = LoggerFactory.getLogger(FeedThread.class);
    private static final Duration AFTER_ERROR = Duration.ofSeconds(10);

    /** Without new rows, too, it looks again after this time. */
    private static final Duration IDLE = Duration.ofMinutes(1);

    private final AuditFeed feed;
    private final Semaphore news = new Semaphore(0);
    private volatile boolean running;

    FeedThread(AuditFeed feed) {
        this.feed = feed;
    }

    AuditFeed feed() {
        return feed;
    }

    void wake() {
        news.release();
    }

    void start() {
        running = true;
        Thread.ofVirtual().name("audit-feed").start(this::run);
    }

    void stop() {
        running = false;
        wake();
    }

    private void run() {
        while (running) {
            Duration wait = IDLE;
            try {
                Optional<Duration> next = feed.runDue();
                wait = next.orElse(IDLE);
            } catch (RuntimeException e) {
                LOG.warn("Audit entries: {}", e.toString(), e);
                wait = AFTER_ERROR;
            }
            sleepUnlessStopped(wait);
        }
        feed.close();
    }

    private void sleepUnlessStopped(Duration most) {
        try {
            if (news.tryAcquire(most.toMillis(), TimeUnit.MILLISECONDS)) {
                news.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            running = false;
        }
    }
}
