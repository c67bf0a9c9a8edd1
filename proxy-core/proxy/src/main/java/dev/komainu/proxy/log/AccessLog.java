package dev.komainu.proxy.log;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.proxy.tally.LoopTally;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The access log of a proxy: a ring for each event loop, one file, one thread between them.
 *
 * <p>The thread looks every {@value #PAUSE_MILLIS} ms, sooner when a ring is half full, and writes
 * all that waits of a ring at once; so a line costs its loop a copy of some hundred bytes, and the
 * file one call for many lines. A loop never waits: a line that finds no room is dropped and
 * counted ({@link LoopTally#logOverflows}, or {@link LoopTally#logLostToDisk} while the file cannot
 * be written to).
 *
 * <p>A full disk is told once; what waits is tried again each second, and its end is told too. A
 * line is written whole or not at all.
 *
 * <p>Any thread may call {@link #rotate}; pens belong to their loops.
 */
public final class AccessLog implements AutoCloseable {

    /** Bytes that one loop's lines may take while they wait: some 8,000 lines. */
    static final int RING_BYTES = 1 << 20;

    private static final long PAUSE_MILLIS = 50;
    private static final long RETRY_MILLIS = 1000;
    private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);

    private final LogSettings settings;
    private final int ringBytes;
    private final @Nullable LogFile file;
    private final List<LogRing> rings = new CopyOnWriteArrayList<>();
    private final @Nullable Thread writer;
    private volatile boolean failing;
    private volatile boolean rotating;
    private volatile boolean hurried;
    private volatile boolean closing;

    private AccessLog(LogSettings settings, @Nullable LogFile file, int ringBytes) {
        this.settings = settings;
        this.file = file;
        this.ringBytes = ringBytes;
        this.writer = file == null
                ? null
                : Thread.ofPlatform().name("komainu-log").daemon().unstarted(() -> run(file));
    }

    /**
     * Opens the file, when there is to be one.
     *
     * @throws IOException when it cannot be opened, naming it
     */
    public static AccessLog open(LogSettings settings) throws IOException {
        Path path = settings.file();
        return path == null
                ? new AccessLog(settings, null, 0)
                : open(settings, new LogFile(path, settings.keep()), RING_BYTES);
    }

    static AccessLog open(LogSettings settings, LogFile file, int ringBytes) throws IOException {
        try {
            file.open();
        } catch (IOException e) {
            throw new IOException(
                    "log.access: " + file + " (expected: a file that can be written, but "
                            + e.getClass().getSimpleName() + ": " + e.getMessage() + ")",
                    e);
        }
        AccessLog log = new AccessLog(settings, file, ringBytes);
        if (log.writer != null) {
            log.writer.start();
        }
        return log;
    }

    /** A hand for one more loop; before the loop serves. */
    public AccessLogWriter pen(LoopTally tally, ProxyClock clock) {
        if (file == null) {
            return new AccessLogWriter(null, null, tally, clock, new LogLineBuffer(0));
        }
        LogRing ring = new LogRing(ringBytes);
        rings.add(ring);
        return new AccessLogWriter(
                this, ring, tally, clock, new LogLineBuffer(LogLineBuffer.LONGEST));
    }

    LogSettings settings() {
        return settings;
    }

    /** Whether lines are written at all. */
    public boolean isOn() {
        return file != null;
    }

    boolean isFailing() {
        return failing;
    }

    /** A ring is half full. */
    void hurry() {
        if (!hurried) {
            hurried = true;
            LockSupport.unpark(writer);
        }
    }

    /**
     * Asks for a rotation; it happens within {@value #PAUSE_MILLIS} ms, behind the lines that wait.
     */
    public void rotate() {
        rotating = true;
        LockSupport.unpark(writer);
    }

    private void run(LogFile to) {
        while (!closing) {
            hurried = false;
            round(to);
            if (!hurried && !rotating && !closing) {
                LockSupport.parkNanos(this, (failing ? RETRY_MILLIS : PAUSE_MILLIS) * 1_000_000);
            }
        }
        round(to);
        try {
            to.close();
        } catch (IOException e) {
            LOG.warn("The access log {} was not closed: {}", to, e.getMessage());
        }
    }

    private void round(LogFile to) {
        boolean rotate = rotating;
        rotating = false;
        try {
            for (LogRing ring : rings) {
                move(ring, to);
            }
            if (failing) {
                to.size();
                failing = false;
                LOG.info("The access log {} is written again", to);
            }
        } catch (IOException e) {
            failed(to, e);
        }
        try {
            if (rotate || settings.maxBytes() > 0 && !failing && to.size() >= settings.maxBytes()) {
                to.rotate();
            }
        } catch (IOException e) {
            failed(to, e);
        }
    }

    private static void move(LogRing ring, LogFile to) throws IOException {
        ByteBuffer[] lines = ring.waiting();
        long all = 0;
        for (ByteBuffer part : lines) {
            all += part.remaining();
        }
        long done = 0;
        try {
            while (done < all) {
                long count = to.write(lines);
                if (count <= 0) {
                    throw new IOException("no byte of " + (all - done) + " was taken");
                }
                done += count;
            }
        } catch (IOException e) {
            long whole = ring.wholeLines(done);
            ring.took(whole);
            if (whole < done) {
                to.shorten(done - whole);
            }
            throw e;
        }
        ring.took(all);
    }

    private void failed(LogFile to, IOException e) {
        if (!failing) {
            LOG.error(
                    "The access log {} cannot be written; its lines wait, then they are dropped: {}",
                    to,
                    e.toString());
        }
        failing = true;
    }

    /** Writes what waits, once, and closes the file. */
    @Override
    public void close() {
        closing = true;
        Thread known = writer;
        if (known != null) {
            LockSupport.unpark(known);
            try {
                known.join(5000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
