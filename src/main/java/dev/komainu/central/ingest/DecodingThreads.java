package dev.komainu.central.ingest;

import dev.komainu.telemetry.wire.DecodedBatch;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The platform threads that decode batches, half as many as processors. Decoding is computation: on
 * the virtual threads of requests it would hold their few carriers, and every other request would
 * wait for it.
 */
final class DecodingThreads implements AutoCloseable {

    private final ExecutorService threads = Executors.newFixedThreadPool(
            Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
            Thread.ofPlatform().daemon().name("batch-decoder-", 1).factory());

    /** Runs a decoding and waits for it. */
    DecodedBatch run(Callable<DecodedBatch> decode)
            throws InterruptedException, RefusedBatchException {
        Future<DecodedBatch> result = threads.submit(decode);
        try {
            return result.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RefusedBatchException refused -> throw refused;
                case RuntimeException failure -> throw failure;
                case Error error -> throw error;
                case null, default -> throw new IllegalStateException(e);
            }
        } finally {
            result.cancel(true);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
