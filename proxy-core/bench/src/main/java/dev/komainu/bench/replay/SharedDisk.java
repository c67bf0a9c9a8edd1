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
 * The same requests and the same backup where all misses wait for one disk, and everything for one
 * processor: by simulated time, an event at a time, with the proxy's own cache in the middle.
 *
 * <pre>
 *   client ──► cache ── hit ────────────────────────────► processor ──► answer
 *                └──── miss ──► disk, a piece at a time ──┘                the backup walks the same way, one file after the other
 * </pre>
 *
 * Both queues are first come, first served. Who misses what is being read already waits for that
 * read.
 */
final class SharedDisk {

    /**
     * @param positionMicros to move the disk's arm and wait for half a turn, whenever the piece
     *     before belonged to another read
     * @param diskBytesPerMicro while it reads
     * @param pieceBytes of one read
     * @param fixedMicros of the processor for each answer
     * @param microsPerByte of the processor for its bytes
     * @param clients that ask one after the other; 0: by the clock, at {@code perSecond}
     */
    record Model(
            double positionMicros,
            double diskBytesPerMicro,
            int pieceBytes,
            double fixedMicros,
            double microsPerByte,
            int clients,
            double perSecond) {}

    /** What came of it; shares of the time. */
    record Outcome(
            PartitionReplay.Sum[] sums, double swept, double diskBusy, double processorBusy) {

        PartitionReplay.Sum work() {
            return sums[1].plus(sums[2]);
        }
    }

    private record Event(double at, long order, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Double.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private record Piece(Object read, int bytes, Runnable done) {}

    private final Model model;
    private final List<PartitionReplay.Request> requests;
    private final List<PartitionReplay.Item> sweep;
    private final MemoryCache cache;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Deque<Piece> diskQueue = new ArrayDeque<>();
    private final Map<PartitionReplay.Item, List<Runnable>> underWay = new HashMap<>();
    private final PartitionReplay.Sum[] sums = {
        new PartitionReplay.Sum(), new PartitionReplay.Sum(), new PartitionReplay.Sum()
    };
    private double now;
    private long order;
    private int asked;
    private int answered;
    private int swept;
    private boolean diskWorks;
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
                after(0, this::askNext);
            }
        } else {
            Random random = new Random(1);
            double at = 0;
            for (PartitionReplay.Request request : requests) {
                at -= Math.log(1 - random.nextDouble()) * 1e6 / model.perSecond();
                after(at, () -> ask(request, () -> {}));
            }
        }
        after(0, this::backUpNext);
        while (answered < requests.size()) {
            Event next = events.remove();
            now = next.at;
            next.what.run();
        }
        return new Outcome(
                sums, swept / (double) sweep.size(), diskMicros / now, processorMicros / now);
    }

    private void after(double micros, Runnable what) {
        events.add(new Event(now + micros, order++, what));
    }

    private void askNext() {
        if (asked < requests.size()) {
            ask(requests.get(asked++), this::askNext);
        }
    }

    private void ask(PartitionReplay.Request request, Runnable done) {
        double begun = now;
        boolean[] hit = new boolean[1];
        hit[0] = get(request.item(), () -> {
            sums[request.kind().ordinal()].add(hit[0], now - begun);
            answered++;
            done.run();
        });
    }

    /** One file after the other, as fast as they come. */
    private void backUpNext() {
        if (swept < sweep.size()) {
            get(sweep.get(swept++), this::backUpNext);
        }
    }

    /** @return whether it was there */
    private boolean get(PartitionReplay.Item item, Runnable done) {
        Runnable answer = () -> process(item, done);
        CacheEntry found = cache.get(item.key());
        if (found != null) {
            answer.run();
            return true;
        }
        List<Runnable> waiting = underWay.get(item);
        if (waiting != null) {
            waiting.add(answer);
            return false;
        }
        underWay.put(item, new ArrayList<>(List.of(answer)));
        read(item, new Object(), 0);
        return false;
    }

    private void read(PartitionReplay.Item item, Object read, int from) {
        int piece = Math.min(model.pieceBytes(), item.bytes() - from);
        diskQueue.add(new Piece(read, piece, () -> {
            if (from + piece < item.bytes()) {
                read(item, read, from + piece);
                return;
            }
            PartitionReplay.store(cache, item.key(), item.bytes());
            Objects.requireNonNull(underWay.remove(item)).forEach(Runnable::run);
        }));
        disk();
    }

    private void disk() {
        Piece next = diskWorks ? null : diskQueue.poll();
        if (next == null) {
            return;
        }
        diskWorks = true;
        double takes = (next.read() == lastRead ? 0 : model.positionMicros())
                + next.bytes() / model.diskBytesPerMicro();
        lastRead = next.read();
        diskMicros += takes;
        after(takes, () -> {
            diskWorks = false;
            next.done().run();
            disk();
        });
    }

    private void process(PartitionReplay.Item item, Runnable done) {
        double takes = model.fixedMicros() + item.bytes() * model.microsPerByte();
        processorMicros += takes;
        processorFreeAt = Math.max(now, processorFreeAt) + takes;
        after(processorFreeAt - now, done);
    }
}
