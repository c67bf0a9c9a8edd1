package dev.komainu.intermediary.purge;

import dev.komainu.intermediary.caching.CacheKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which purges this member knows, whoever gave them: what it tells others who have missed some, and
 * how others see that it has.
 *
 * <p>Each life of a member numbers what it gives from 1; so what a member has heard is one number
 * for each life, and what it lacks is behind that number. Orders of one life are taken in their
 * order. Of the last {@value #MOST} orders the log knows all; who lacks an older one is told so,
 * drops everything it stores, and has all of them thereby.
 *
 * <p>A copy fetched from a member that has not heard yet what we have would outlive the purge: so
 * whoever asks an owner names what he has heard of late ({@link #requirements}), and the owner refuses
 * when it does not know that much. Safe for all threads.
 */
public final class PurgeLog {

    static final int MAX_ORDERS = 10_000;

    /** After this everybody who is there has heard of an order, or is told before he is asked. */
    private static final long RECENT_MILLIS = 30_000;

    /**
     * An order as it is told.
     *
     * @param source the life that gave it
     * @param number of that life, from 1
     * @param proof absent in clusters where whoever may join may order everything
     */
    public record Entry(
            String source,
            long number,
            PurgeOrder order,
            @Nullable PurgeProof proof) {

        public Entry(String source, long number, PurgeOrder order) {
            this(source, number, order, null);
        }
    }

    private record Receipt(Entry entry, long atMillis) {}

    private final String self;
    private final LongSupplier steadyMillis;
    // All guarded by this.
    private final Map<String, Long> lastNumbers = new TreeMap<>();
    private final Map<String, Long> forgotten = new TreeMap<>();
    private final Deque<Entry> entries = new ArrayDeque<>();
    private final Map<CacheKey, Receipt> recentUris = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<CacheKey, Receipt> eldest) {
            return size() > MAX_ORDERS;
        }
    };
    private final Map<String, Receipt> recentOthers = new TreeMap<>();
    private long issued;
    private long version;
    private volatile long lastMillis = Long.MIN_VALUE;

    /** @param self names this life of this member: another after each start */
    public PurgeLog(String self, LongSupplier steadyMillis) {
        this.self = self;
        this.steadyMillis = steadyMillis;
    }

    /** Numbers an order that is given here, and begins it. */
    public Entry issue(PurgeOrder order) {
        return issue(order, entry -> null);
    }

    /** Likewise. @param proving shows that it is this member's */
    public synchronized Entry issue(
            PurgeOrder order, Function<Entry, @Nullable PurgeProof> signer) {
        Entry bare = new Entry(self, ++issued, order);
        Entry entry = new Entry(self, bare.number(), order, signer.apply(bare));
        begin(entry);
        return entry;
    }

    /** Whether an order is the next of its life: not done yet, and none before it is missing. */
    public synchronized boolean isNext(Entry entry) {
        return entry.number() == lastNumbers.getOrDefault(entry.source(), 0L) + 1;
    }

    /** It is about to be carried out here: from now on who is asked must have done it. */
    public synchronized void begin(Entry entry) {
        lastMillis = steadyMillis.getAsLong();
        Receipt receipt = new Receipt(entry, lastMillis);
        if (entry.order().target() instanceof PurgeOrder.Uri uri) {
            recentUris.remove(uri.key());
            recentUris.put(uri.key(), receipt);
        } else {
            recentOthers.put(entry.source(), receipt);
        }
    }

    /** It is carried out here: from now on others may be told. */
    public synchronized void recordDone(Entry entry) {
        lastNumbers.merge(entry.source(), entry.number(), Math::max);
        entries.add(entry);
        if (entries.size() > MAX_ORDERS) {
            Entry oldest = entries.remove();
            forgotten.merge(oldest.source(), oldest.number(), Math::max);
        }
        version++;
    }

    /** Counts what was taken. */
    public synchronized long version() {
        return version;
    }

    /** Everything that is stored was dropped: so all that was ever ordered is done. */
    public synchronized void recordAllDone(Map<String, Long> reported) {
        reported.forEach((source, number) -> {
            if (number > lastNumbers.getOrDefault(source, 0L)) {
                lastNumbers.put(source, number);
                // Those between are not in this log.
                forgotten.merge(source, number, Math::max);
            }
        });
        version++;
    }

    /** The last number of each life. */
    public synchronized Map<String, Long> lastNumbers() {
        return Map.copyOf(lastNumbers);
    }

    /** What somebody lacks, in order. @param most of them */
    public synchronized List<Entry> missingFrom(Map<String, Long> theirs, int most) {
        List<Entry> all = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry.number() > theirs.getOrDefault(entry.source(), 0L)) {
                all.add(entry);
                if (all.size() == most) {
                    break;
                }
            }
        }
        return all;
    }

    /** Whether somebody lacks what this log no longer has. */
    public synchronized boolean hasForgottenFor(Map<String, Long> theirs) {
        return forgotten.entrySet().stream()
                .anyMatch(last -> last.getValue() > theirs.getOrDefault(last.getKey(), 0L));
    }

    /**
     * What an owner must have heard before its answer counts here, as text; absent: nothing of
     * late, which is usual.
     *
     * @param uri of the object
     */
    public @Nullable String requirements(CacheKey uri) {
        if (lastMillis == Long.MIN_VALUE || steadyMillis.getAsLong() - lastMillis > RECENT_MILLIS) {
            return null;
        }
        Map<String, Long> required = new TreeMap<>();
        synchronized (this) {
            addRequirement(required, recentUris.get(uri));
            recentOthers.values().forEach(receipt -> addRequirement(required, receipt));
        }
        return required.isEmpty() ? null : text(required);
    }

    private void addRequirement(Map<String, Long> required, @Nullable Receipt receipt) {
        if (receipt != null && steadyMillis.getAsLong() - receipt.atMillis <= RECENT_MILLIS) {
            required.merge(receipt.entry.source(), receipt.entry.number(), Math::max);
        }
    }

    /** Whether all that {@link #requirements} named is known here. What cannot be read is not. */
    public synchronized boolean meets(String required) {
        try {
            return parse(required).entrySet().stream()
                    .allMatch(requirement -> lastNumbers.getOrDefault(requirement.getKey(), 0L) >= requirement.getValue());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** {@code SOURCE:NUMBER} divided by commas. */
    public static String text(Map<String, Long> numbers) {
        StringBuilder out = new StringBuilder();
        numbers.forEach((source, number) ->
                out.append(out.isEmpty() ? "" : ",").append(source).append(':').append(number));
        return out.toString();
    }

    /** @throws IllegalArgumentException when it is no such text */
    public static Map<String, Long> parse(String text) {
        Map<String, Long> numbers = new TreeMap<>();
        for (String pair : text.isEmpty() ? new String[0] : text.split(",")) {
            int colon = pair.lastIndexOf(':');
            if (colon < 1) {
                throw new IllegalArgumentException(pair + " (expected: SOURCE:NUMBER)");
            }
            numbers.put(pair.substring(0, colon), Long.parseLong(pair.substring(colon + 1)));
        }
        return numbers;
    }
}
