package dev.komainu.central.audit.outside;

import dev.komainu.central.access.Audit;
import dev.komainu.central.audit.AuditHead;
import dev.komainu.central.audit.AuditLog;
import dev.komainu.central.audit.AuditSettings;
import dev.komainu.central.audit.ChainFault;
import dev.komainu.central.audit.ChainReport;
import dev.komainu.central.audit.HeadFile;
import dev.komainu.central.audit.SignedHead;
import dev.komainu.central.order.OrderKeys;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * The upkeep of the audit log beside the requests: rows of refused attempts, removal by age and
 * number, heads for the head file, the check of all rows, and the feeds of syslog and webhook.
 */
public final class AuditKeeper implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(AuditKeeper.class);
    private static final Duration TICK = Duration.ofSeconds(5);
    private static final Duration REMOVE_EVERY = Duration.ofHours(6);

    private final AuditLog log;
    private final Audit audit;
    private final AuditSettings settings;
    private final OrderKeys keys;
    private final HeadFile file;
    private final Clock clock;
    private final List<FeedThread> feeds;

    private volatile boolean running;
    private @Nullable Thread thread;
    private @Nullable Instant removedAt;
    private @Nullable Instant checkedAt;
    private @Nullable Instant headAt;
    private volatile @Nullable SignedHead written;
    /** Text of the newest fault; guarded by this. */
    private String told = "";

    private volatile @Nullable Checked newest;

    /** A check's result and its time. */
    public record Checked(Instant at, ChainReport report) {}

    AuditKeeper(
            AuditLog log,
            Audit audit,
            AuditSettings settings,
            OrderKeys keys,
            Clock clock,
            List<AuditFeed> feeds) {
        this.log = log;
        this.audit = audit;
        this.settings = settings;
        this.keys = keys;
        this.file = new HeadFile(settings.headFile());
        this.clock = clock;
        this.feeds = feeds.stream().map(FeedThread::new).toList();
        log.onAppend(() -> this.feeds.forEach(FeedThread::wake));
    }

    /** Returns the newest check; empty before the first one has ended. */
    public Optional<Checked> newestCheck() {
        return Optional.ofNullable(newest);
    }

    /**
     * Checks all rows now, against the heads of the head file and these. Blocks until it ends; one
     * check at a time. The result counts as the newest check only without given heads: a wrong head
     * in a request is no fault of the log.
     */
    public synchronized Checked check(Collection<AuditHead> known) {
        List<AuditHead> heads = new ArrayList<>(known);
        try {
            file.read().heads().stream().map(SignedHead::head).forEach(heads::add);
        } catch (IOException e) {
            LOG.warn("{}: not read ({})", settings.headFile(), e.toString());
        }
        Checked checked = new Checked(clock.instant(), log.check(heads));
        if (known.isEmpty()) {
            newest = checked;
            tell(checked.report().fault());
        }
        return checked;
    }

    /** Tells a fault, once, by a row that is also sent outside. */
    private void tell(@Nullable ChainFault fault) {
        String text = fault == null ? "" : fault.toString();
        if (!text.isEmpty() && !text.equals(told)) {
            LOG.error("Audit log: {}", text);
            log.appendFault(text);
        }
        told = text;
    }

    /** Returns the newest head that the head file got since the start. */
    public Optional<SignedHead> writtenHead() {
        return Optional.ofNullable(written);
    }

    /** Returns the head now, signed. */
    public SignedHead head() {
        return signed(log.rows().head());
    }

    private SignedHead signed(AuditHead head) {
        Instant now = clock.instant();
        return new SignedHead(
                now, head, keys.sign(SignedHead.CONTEXT, SignedHead.signed(now, head)));
    }

    /** Returns the state of each receiver outside. */
    public List<AuditFeed.State> outside() {
        return feeds.stream().map(each -> each.feed().state()).toList();
    }

    /** Does what is due. One thread. */
    void runDue() {
        Instant now = clock.instant();
        log.writeRefused(false);
        if (isDue(removedAt, now, REMOVE_EVERY)) {
            removedAt = now;
            audit.forgetOld();
        }
        // The check comes before the head: the head of a log that was cut must not hide the cut.
        if (isDue(checkedAt, now, settings.checkEvery())) {
            checkedAt = now;
            check(List.of());
        }
        SignedHead last = written;
        long since =
                log.rows().head().sequence() - (last == null ? 0 : last.head().sequence());
        if (since != 0
                && (isDue(headAt, now, settings.headEvery()) || since >= settings.headEntries())) {
            headAt = now;
            writeHead();
        }
    }

    private void writeHead() {
        SignedHead head = head();
        try {
            file.append(head);
            written = head;
        } catch (IOException e) {
            LOG.warn("{}: not written ({})", settings.headFile(), e.toString());
        }
    }

    private static boolean isDue(@Nullable Instant last, Instant now, Duration every) {
        // A last time in the future: the clock was set back.
        return last == null || last.isAfter(now) || !last.plus(every).isAfter(now);
    }

    private void run() {
        boolean failing = false;
        while (running) {
            try {
                runDue();
                failing = false;
            } catch (DataAccessException | TransactionException e) {
                if (!failing) { // an outage lasts for many rounds
                    LOG.warn("Audit log: {}", e.toString());
                }
                failing = true;
            }
            pause();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // the caller checks what is due in a loop
    private synchronized void pause() {
        try {
            if (running) {
                wait(TICK.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        running = true;
        thread = Thread.ofPlatform().name("audit").daemon().start(this::run);
        feeds.forEach(FeedThread::start);
    }

    /** Writes the counted refusals and a last head. */
    @Override
    public void stop() {
        Thread ending;
        synchronized (this) {
            running = false;
            ending = thread;
            thread = null;
            notifyAll();
        }
        feeds.forEach(FeedThread::stop);
        try {
            if (ending != null) {
                ending.join(Duration.ofSeconds(10));
            }
            log.writeRefused(true);
            SignedHead last = written;
            if (last == null || !last.head().equals(log.rows().head())) {
                writeHead();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (DataAccessException | TransactionException e) {
            LOG.warn("Audit log: {}", e.toString());
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** After {@code FirstStart}, before the web server, whose requests must end before it stops. */
    @Override
    public int getPhase() {
        return 1;
    }
}
