package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.tier.MemoryCache;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the last peak needed, so that the next one finds it in memory: what was in memory when it
 * was over, by hits, and what was asked for while only the disk had it. At most {@value #MOST}
 * names; kept beside the segments, a name in Base64 a line. One thread, except for
 * {@link #refused}.
 */
public final class PeakWorkingSet {

    private static final Logger LOG = LoggerFactory.getLogger(PeakWorkingSet.class);

    static final int MOST = 20_000;
    private static final int MOST_REFUSED = 8_192;
    private static final int SLICE = 4_096;

    private final MemoryCache cache;
    private final Restorer restorer;
    private final Path file;
    private final ArrayBlockingQueue<CacheKey> refused = new ArrayBlockingQueue<>(MOST_REFUSED);
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
                    if (all.size() < MOST) {
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

    /** Asked for at the peak, and not read. Any thread. */
    void refused(CacheKey name) {
        refused.offer(name);
    }

    /** The peak is over: remembers what it needed, in the place of what the one before did. */
    public void remember() {
        PriorityQueue<StoredResponse> hottest =
                new PriorityQueue<>(Comparator.comparingInt(StoredResponse::hits));
        int seen = 0;
        for (Iterator<Map.Entry<CacheKey, CacheEntry>> all = cache.entries(); all.hasNext(); ) {
            if ((++seen & SLICE - 1) == 0) {
                Thread.yield();
            }
            if (all.next().getValue() instanceof StoredResponse response && response.hits() > 0) {
                hottest.add(response);
                if (hottest.size() > MOST) {
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
            if (all.size() < MOST) {
                all.add(name);
            }
        }
        names = List.copyOf(all);
        next = 0;
        write();
    }

    private void write() {
        List<String> lines = names.stream()
                .map(name -> Base64.getEncoder().encodeToString(name.toBytes()))
                .toList();
        try {
            Path fresh = file.resolveSibling("wanted.new");
            Files.write(fresh, lines);
            Files.move(
                    fresh,
                    file,
                    StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.warn("{}: {}", file, e.getMessage());
        }
    }

    /** Begins with the most wanted again. */
    public void again() {
        next = 0;
    }

    /**
     * Brings what is missing back into memory, on this thread, as long as nobody else waits for the
     * disk.
     *
     * @param nanos for so long at most
     * @return how many came
     */
    public int bring(long nanos) {
        long end = System.nanoTime() + nanos;
        int came = 0;
        while (next < names.size() && System.nanoTime() - end < 0) {
            CacheKey name = names.get(next);
            if (restorer.isBusy()) {
                return came;
            }
            next++;
            came += restorer.bring(name) ? 1 : 0;
        }
        return came;
    }

    int size() {
        return names.size();
    }
}
