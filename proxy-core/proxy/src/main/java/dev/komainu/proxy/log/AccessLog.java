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
 * The access log of a proxy: one file, a ring for each event loop, and one thread between them.
 *
 * <p>The thread checks the rings every {@value #PAUSE_MILLIS} ms, sooner when one is half full, and
 * writes all lines of a ring at once. A line therefore costs its loop a copy of a few hundred
 * bytes, and the file one call for many lines. A loop never waits: a line that does not fit is
 * dropped and counted ({@link LoopTally#logOverflows}, or {@link LoopTally#logLostToDisk} while the
 * file cannot be written).
 *
 * <p>A full disk is logged once. The waiting lines are tried again each second, and the recovery is
 * logged, too. A line is written completely or not at all.
 *
 * <p>Any thread may call {@link #rotate}; writers belong to their event loops.
 */
public final class AccessLog implements AutoCloseable {

    /** Bytes of one loop's waiting lines: about 8,000 lines. */
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
    private volatile boolean wokenUp;
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
     * Opens the log, and its file if there is one.
     *
     * @throws IOException with the file's name when it cannot be opened
     */
    public static AccessLog open(LogSettings settings) throws IOException {
        Path path = settings.file();
        return path == null
                ? new AccessLog(settings, null, 0)
                : open(settings, new LogFile(path, settings.keep(), settings.mode()), RING_BYTES);
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

    /** Returns a writer for one more event loop; called before the loop serves. */
    public AccessLogWriter writer(LoopTally tally, ProxyClock clock) {
        if (file == null) {
            return new AccessLogWriter(null, null, tally, clock, new LogLineBuffer(0));
        }
        LogRing ring = new LogRing(ringBytes);
        rings.add(ring);
        return new AccessLogWriter(
                this, ring, tally, clock, new LogLineBuffer(LogLineBuffer.MAX_LENGTH));
    }

    LogSettings settings() {
        return settings;
    }

    /** Reports whether lines are written at all. */
    public boolean isOn() {
        return file != null;
    }

    boolean isFailing() {
        return failing;
    }

    /** Wakes the thread: a ring is half full. */
    void wakeUp() {
        if (!wokenUp) {
            wokenUp = true;
            LockSupport.unpark(writer);
        }
    }

    /**
     * Requests a rotation; it takes place within {@value #PAUSE_MILLIS} ms, behind the waiting
     * lines.
     */
    public void rotate() {
        rotating = true;
        LockSupport.unpark(writer);
    }

    private void run(LogFile target) {
        while (!closing) {
            wokenUp = false;
            moveAll(target);
            if (!wokenUp && !rotating && !closing) {
                LockSupport.parkNanos(this, (failing ? RETRY_MILLIS : PAUSE_MILLIS) * 1_000_000);
            }
        }
        moveAll(target);
        try {
            target.close();
        } catch (IOException e) {
            LOG.warn("The access log {} was not closed: {}", target, e.getMessage());
        }
    }

    private void moveAll(LogFile target) {
        boolean rotate = rotating;
        rotating = false;
        try {
            for (LogRing ring : rings) {
                move(ring, target);
            }
            if (failing) {
                target.size();
                failing = false;
                LOG.info("The access log {} can be written again", target);
            }
        } catch (IOException e) {
            onWriteFailure(target, e);
        }
        try {
            if (rotate
                    || (settings.maxBytes() > 0
                            && !failing
                            && target.size() >= settings.maxBytes())) {
                target.rotate();
            }
        } catch (IOException e) {
            onWriteFailure(target, e);
        }
    }

    private static void move(LogRing ring, LogFile target) throws IOException {
        ByteBuffer[] lines = ring.waiting();
        long total = 0;
        for (ByteBuffer part : lines) {
            total += part.remaining();
        }
        long done = 0;
        try {
            while (done < total) {
                long count = target.write(lines);
                if (count <= 0) {
                    throw new IOException("no byte of " + (total - done) + " was accepted");
                }
                done += count;
            }
        } catch (IOException e) {
            long complete = ring.completeLines(done);
            ring.release(complete);
            if (complete < done) {
                target.shorten(done - complete);
            }
            throw e;
        }
        ring.release(total);
    }

    private void onWriteFailure(LogFile target, IOException e) {
        if (!failing) {
            LOG.error(
                    "The access log {} cannot be written; its lines wait and are dropped when the buffer is full: {}",
                    target,
                    e.toString());
        }
        failing = true;
    }

    /** Writes the waiting lines once and closes the file. */
    @Override
    public void close() {
        closing = true;
        Thread thread = writer;
        if (thread != null) {
            LockSupport.unpark(thread);
            try {
                thread.join(5000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
