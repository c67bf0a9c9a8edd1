package dev.komainu.central.access;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * A directory in which commands on this machine leave requests: files {@code NAME.request}. Every
 * two seconds each of them is removed and answered, on a thread of its own. An account that can
 * write into the data directory owns the service anyway.
 */
public abstract class RequestFiles implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(RequestFiles.class);
    private static final String REQUEST = ".request";
    private static final int SECONDS = 2;

    private final Path directory;
    private final String threadName;
    private volatile @Nullable ScheduledExecutorService thread;

    protected RequestFiles(Path directory, String threadName) {
        this.directory = directory;
        this.threadName = threadName;
    }

    /** Returns a file of this directory. */
    protected final Path file(String name) {
        return directory.resolve(name);
    }

    /**
     * Reads a request before it is removed.
     *
     * @return the content that {@link #answer} needs; empty: only the name counts
     */
    protected String content(Path request) throws IOException {
        return "";
    }

    /**
     * Answers a request, which is removed already.
     *
     * @param name name of the file before {@code .request}; not checked
     */
    protected abstract void answer(String name, String content) throws IOException;

    @Override
    public void start() {
        try {
            PrivateFiles.directory(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot create " + directory, e);
        }
        ScheduledExecutorService fresh = Executors.newSingleThreadScheduledExecutor(
                Thread.ofVirtual().name(threadName).factory());
        ScheduledFuture<?> unused =
                fresh.scheduleWithFixedDelay(this::look, 0, SECONDS, TimeUnit.SECONDS);
        thread = fresh;
    }

    private void look() {
        try {
            answerAll();
        } catch (IOException | RuntimeException e) {
            LOG.warn("{}: {}", directory, e.toString());
        }
    }

    /** Answers all requests in the directory. */
    public synchronized void answerAll() throws IOException {
        try (DirectoryStream<Path> requests = Files.newDirectoryStream(directory, "*" + REQUEST)) {
            for (Path request : requests) {
                String file = request.getFileName().toString();
                String content = content(request);
                Files.deleteIfExists(request);
                answer(file.substring(0, file.length() - REQUEST.length()), content);
            }
        }
    }

    @Override
    public void stop() {
        ScheduledExecutorService ending = thread;
        if (ending != null) {
            ending.shutdown();
            thread = null;
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }
}
