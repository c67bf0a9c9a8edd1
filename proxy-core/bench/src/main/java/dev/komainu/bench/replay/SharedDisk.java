package dev.komainu.bench.replay;

import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.tier.MemoryCache;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * The same requests and the same backup with one disk for all misses and one processor for all
 * responses: a discrete-event simulation with the proxy's own cache.
 *
 * <pre>
 *   client ──► cache ── hit ────────────────────────────► processor ──► response
 *                └──── miss ──► disk, a piece at a time ──┘    the backup takes the same way, one file after the other
 * </pre>
 *
 * Both queues are first come, first served. A miss on an object that is being read waits for this
 * read.
 */
final class SharedDisk {

    /**
     * The simulated machine.
     *
     * @param positionMicros seek and half a turn, whenever the previous piece belonged to another
     *     read
     * @param diskBytesPerMicro rate of reading
     * @param pieceBytes size of one read
     * @param fixedMicros processor time for each response
     * @param microsPerByte processor time for each byte
     * @param clients clients that send one request after another; 0: requests arrive at
     *     {@code perSecond}
     */
    record Model(
            double positionMicros,
            double diskBytesPerMicro,
            int pieceBytes,
            double fixedMicros,
            double microsPerByte,
            int clients,
            double perSecond) {}

    /** The result; shares are of the time. */
    record Outcome(
            PartitionReplay.Sum[] sums, double sweptShare, double diskBusy, double processorBusy) {

        PartitionReplay.Sum work() {
            return sums[1].plus(sums[2]);
        }
    }

    private record Event(double time, long sequence, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Double.compare(time, other.time);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    private record Piece(Object read, int bytes, Runnable done) {}

    private final Model model;
    private final List<PartitionReplay.Request> requests;
    private final List<PartitionReplay.Item> sweep;
    private final MemoryCache cache;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Deque<Piece> diskQueue = new ArrayDeque<>();
    private final Map<PartitionReplay.Item, List<Runnable>> readsInProgress = new HashMap<>();
    private final PartitionReplay.Sum[] sums = {
        new PartitionReplay.Sum(), new PartitionReplay.Sum(), new PartitionReplay.Sum()
    };
    private double now;
    private long sequence;
    private int sentRequests;
    private int responses;
    private int sweptFiles;
    private boolean diskBusyNow;
    private Object lastRead = "";
    private double diskMicros;
    private double processorMicros;
    private double processorFreeAt;

    private SharedDisk(Model model, PartitionReplay replay, MemoryCache cache) {
        this.model = model;
        this.requests = replay.requests;
        this.sweep = replay.sweep;
        this.cache = cache;
    }

    static Outcome run(Model model, PartitionReplay replay, PartitionReplay.Variant variant) {
        MemoryCache cache = replay.warmed(variant);
        try {
            return new SharedDisk(model, replay, cache).run();
        } finally {
            cache.clear();
        }
    }

    private Outcome run() {
        if (model.clients() > 0) {
            for (int i = 0; i < model.clients(); i++) {
                after(0, this::requestNext);
            }
        } else {
            Random random = new Random(1);
            double time = 0;
            for (PartitionReplay.Request request : requests) {
                time -= Math.log(1 - random.nextDouble()) * 1e6 / model.perSecond();
                after(time, () -> request(request, () -> {}));
            }
        }
        after(0, this::readNextFile);
        while (responses < requests.size()) {
            Event next = events.remove();
            now = next.time;
            next.action.run();
        }
        return new Outcome(
                sums, sweptFiles / (double) sweep.size(), diskMicros / now, processorMicros / now);
    }

    private void after(double micros, Runnable action) {
        events.add(new Event(now + micros, sequence++, action));
    }

    private void requestNext() {
        if (sentRequests < requests.size()) {
            request(requests.get(sentRequests++), this::requestNext);
        }
    }

    private void request(PartitionReplay.Request request, Runnable done) {
        double start = now;
        boolean[] hit = new boolean[1];
        hit[0] = get(request.item(), () -> {
            sums[request.kind().ordinal()].add(hit[0], now - start);
            responses++;
            done.run();
        });
    }

    /** Reads one file after another, as fast as possible. */
    private void readNextFile() {
        if (sweptFiles < sweep.size()) {
            get(sweep.get(sweptFiles++), this::readNextFile);
        }
    }

    /** Returns whether the object was in the cache. */
    private boolean get(PartitionReplay.Item item, Runnable done) {
        Runnable respond = () -> process(item, done);
        CacheEntry found = cache.get(item.key());
        if (found != null) {
            respond.run();
            return true;
        }
        List<Runnable> waiting = readsInProgress.get(item);
        if (waiting != null) {
            waiting.add(respond);
            return false;
        }
        readsInProgress.put(item, new ArrayList<>(List.of(respond)));
        read(item, new Object(), 0);
        return false;
    }

    private void read(PartitionReplay.Item item, Object read, int from) {
        int pieceBytes = Math.min(model.pieceBytes(), item.bytes() - from);
        diskQueue.add(new Piece(read, pieceBytes, () -> {
            if (from + pieceBytes < item.bytes()) {
                read(item, read, from + pieceBytes);
                return;
            }
            PartitionReplay.store(cache, item.key(), item.bytes());
            Objects.requireNonNull(readsInProgress.remove(item)).forEach(Runnable::run);
        }));
        disk();
    }

    private void disk() {
        Piece next = diskBusyNow ? null : diskQueue.poll();
        if (next == null) {
            return;
        }
        diskBusyNow = true;
        double micros = (next.read() == lastRead ? 0 : model.positionMicros())
                + next.bytes() / model.diskBytesPerMicro();
        lastRead = next.read();
        diskMicros += micros;
        after(micros, () -> {
            diskBusyNow = false;
            next.done().run();
            disk();
        });
    }

    private void process(PartitionReplay.Item item, Runnable done) {
        double micros = model.fixedMicros() + item.bytes() * model.microsPerByte();
        processorMicros += micros;
        processorFreeAt = Math.max(now, processorFreeAt) + micros;
        after(processorFreeAt - now, done);
    }
}
