package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names of the responses that the last peak needed, so that the next peak finds them in memory:
 * those in memory at its end, by hits, and those requested while only the disk had them. At most
 * {@value #MAX_NAMES} names, stored in a file beside the segments, one Base64 name a line. One
 * thread, except for {@link #onRefused}.
 */
public final class PeakWorkingSet {

    private static final Logger LOG = LoggerFactory.getLogger(PeakWorkingSet.class);

    static final int MAX_NAMES = 20_000;
    private static final int MAX_REFUSED = 8_192;
    private static final int SLICE = 4_096;

    private final MemoryCache cache;
    private final Restorer restorer;
    private final Path file;
    private final ArrayBlockingQueue<CacheKey> refused = new ArrayBlockingQueue<>(MAX_REFUSED);
    private List<CacheKey> names;
    private int next;

    PeakWorkingSet(MemoryCache cache, Restorer restorer, Path directory) {
        this.cache = cache;
        this.restorer = restorer;
        this.file = directory.resolve("wanted");
        this.names = read();
    }

    private List<CacheKey> read() {
        List<CacheKey> all = new ArrayList<>();
        try {
            if (Files.exists(file)) {
                for (String line : Files.readAllLines(file)) {
                    if (all.size() < MAX_NAMES) {
                        all.add(CacheKey.of(new String(
                                Base64.getDecoder().decode(line), StandardCharsets.ISO_8859_1)));
                    }
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn("{}: {}", file, e.getMessage());
        }
        return all;
    }

    /** Records a name that was requested at the peak and not read. Thread-safe. */
    void onRefused(CacheKey name) {
        refused.offer(name);
    }

    /** Replaces the names by those that the peak which has just ended needed. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint is enough: the result is correct without it
    public void capture() {
        PriorityQueue<StoredResponse> hottest =
                new PriorityQueue<>(Comparator.comparingInt(StoredResponse::hits));
        int seen = 0;
        for (Iterator<Map.Entry<CacheKey, CacheEntry>> all = cache.entries(); all.hasNext(); ) {
            if ((++seen & SLICE - 1) == 0) {
                Thread.yield();
            }
            if (all.next().getValue() instanceof StoredResponse response && response.hits() > 0) {
                hottest.add(response);
                if (hottest.size() > MAX_NAMES) {
                    hottest.poll();
                }
            }
        }
        Set<CacheKey> all = new LinkedHashSet<>();
        List<StoredResponse> coldestFirst = new ArrayList<>(hottest.size());
        while (!hottest.isEmpty()) {
            coldestFirst.add(hottest.poll());
        }
        for (StoredResponse response : coldestFirst.reversed()) {
            CacheKey name = restorer.nameOf(response);
            if (name != null) {
                all.add(name);
            }
        }
        List<CacheKey> missed = new ArrayList<>();
        refused.drainTo(missed);
        for (CacheKey name : missed) {
            if (all.size() < MAX_NAMES) {
                all.add(name);
            }
        }
        names = List.copyOf(all);
        next = 0;
        write();
    }

    private void write() {
        String lines = names.stream()
                .map(name -> Base64.getEncoder().encodeToString(name.toBytes()) + "\n")
                .collect(Collectors.joining());
        try {
            PrivateFiles.replace(file, lines.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            LOG.warn("{}: {}", file, e.getMessage());
        }
    }

    /** Starts again with the most requested name. */
    public void restart() {
        next = 0;
    }

    /**
     * Restores missing responses into memory on the calling thread, as long as no request waits for
     * the disk.
     *
     * @param nanos time limit
     * @return the number of restored responses
     */
    public int restore(long nanos) {
        long end = System.nanoTime() + nanos;
        int restored = 0;
        while (next < names.size() && System.nanoTime() - end < 0) {
            CacheKey name = names.get(next);
            if (restorer.isBusy()) {
                return restored;
            }
            next++;
            restored += restorer.restore(name) ? 1 : 0;
        }
        return restored;
    }

    int size() {
        return names.size();
    }
}
