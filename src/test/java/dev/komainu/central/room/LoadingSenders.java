package dev.komainu.central.room;

import dev.komainu.central.CentralClient;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.wire.BatchCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Sources that send batches over HTTP without a pause, and each of them again until it is
 * acknowledged. Any thread may read the counts.
 */
final class LoadingSenders implements AutoCloseable {

    private static final int SENDERS = 3;
    private static final int RECORDS = 100;
    private static final Duration LAST = Duration.ofSeconds(30);
    private static final long AGAIN_MILLIS = 20;
    /** Less than what {@code Retry-After} demands, to measure the time of the recovery. */
    private static final long REFUSED_MILLIS = 50;

    private final CentralClient client;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch never = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();
    /** Names of the acknowledged batches, and how often each of them was refused. */
    private final Map<BatchId, Integer> acknowledged = new ConcurrentHashMap<>();
    /** Responses other than 200 and 503. */
    private final List<String> unexpected = new ArrayList<>();

    private volatile long acknowledgedNanos;
    private volatile long refusedNanos;
    private volatile boolean paced = true;

    /**
     * Starts to send.
     *
     * @param client one with a token for batches of any source
     */
    LoadingSenders(CentralClient client) {
        this.client = client.withHeader("Content-Type", "application/x-komainu-batch")
                .withHeader("Content-Encoding", "zstd");
        for (int i = 0; i < SENDERS; i++) {
            String source = "agent@load" + i;
            long seed = i;
            threads.add(Thread.ofPlatform().daemon().name(source).start(() -> run(source, seed)));
        }
    }

    private void run(String source, long seed) {
        SomeRecords some = new SomeRecords(seed);
        try {
            for (long sequence = 1; stopped.getCount() > 0; sequence++) {
                long now = Instant.now().toEpochMilli() * 1_000;
                Batch drawn = some.batch(source, sequence, RECORDS, now, SomeRecords.SECOND);
                Batch batch = new Batch(new BatchId(source, 7, sequence), drawn.records());
                deliver(batch);
                if (paced && stopped.await(AGAIN_MILLIS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError e) {
            note(e.toString());
        }
    }

    private void deliver(Batch batch) throws InterruptedException {
        byte[] body = BatchCodec.encode(batch);
        int refusals = 0;
        while (true) {
            CentralClient.Answer answer = client.post("/api/v1/ingest", body);
            if (answer.status() == 200) {
                acknowledgedNanos = System.nanoTime();
                acknowledged.put(batch.id(), refusals);
                return;
            }
            if (answer.status() == 503 && !answer.header("Retry-After").isEmpty()) {
                // Others are those of batches that met the full disk themselves.
                if (answer.problem().equals("disk-full")) {
                    refusedNanos = System.nanoTime();
                }
                refusals++;
            } else {
                note(answer.status() + " " + answer.body());
            }
            // The last batch, too, is sent until it is acknowledged.
            boolean unused = never.await(REFUSED_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private synchronized void note(String what) {
        unexpected.add(what);
    }

    synchronized List<String> unexpected() {
        return List.copyOf(unexpected);
    }

    /** Sends as fast as possible from now on. */
    void hurry() {
        paced = false;
    }

    /** Returns the time of the newest acknowledgement, as of {@link System#nanoTime}. */
    long acknowledgedNanos() {
        return acknowledgedNanos;
    }

    /** Returns the time of the newest refusal for want of room; 0 before the first. */
    long refusedNanos() {
        return refusedNanos;
    }

    Map<BatchId, Integer> acknowledged() {
        return Map.copyOf(acknowledged);
    }

    /** Ends when the batch of each source is acknowledged, or after half a minute. */
    @Override
    public void close() {
        stopped.countDown();
        long end = System.nanoTime() + LAST.toNanos();
        for (Thread thread : threads) {
            try {
                if (!thread.join(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
                    thread.interrupt();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
