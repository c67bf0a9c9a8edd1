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
 * The log of the purges that this member knows, from any issuer. It determines the orders that
 * another member has missed, and shows others its own state.
 *
 * <p>Each life of a member (each start) numbers its orders from 1. So the state of a member is one
 * number for each life, and it lacks the orders behind that number. Orders of one life are carried
 * out in their order. The log keeps the last {@value #MAX_ORDERS} orders. A member that lacks an
 * older order is notified of that, drops everything it stores, and has then carried out all of
 * them.
 *
 * <p>A copy fetched from a member that has not received a purge yet would outlive the purge. So a
 * request to an owner names the recent orders that the requester knows ({@link #requirements}), and
 * the owner refuses when it does not know all of them. Thread-safe.
 */
public final class PurgeLog {

    static final int MAX_ORDERS = 10_000;

    /**
     * After this time, every reachable member has received an order, or receives it before a
     * request.
     */
    private static final long RECENT_MILLIS = 30_000;

    /**
     * An order as it is sent to members.
     *
     * @param source the life that issued it
     * @param number in that life, from 1
     * @param proof absent in clusters where every member may order everything
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

    /** An order, with the time at which this member began it. */
    private record Receipt(Entry entry, long atMillis) {}

    private final String self;
    private final LongSupplier steadyMillis;
    // Guarded by this, all of them.
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

    /**
     * Creates an empty log.
     *
     * @param self name of this life of this member, different after each start
     */
    public PurgeLog(String self, LongSupplier steadyMillis) {
        this.self = self;
        this.steadyMillis = steadyMillis;
    }

    /** Numbers an order of this member, without a proof, and begins it. */
    public Entry issue(PurgeOrder order) {
        return issue(order, entry -> null);
    }

    /**
     * Numbers an order of this member and begins it.
     *
     * @param signer returns the proof that the order is this member's; absent for none
     */
    public synchronized Entry issue(
            PurgeOrder order, Function<Entry, @Nullable PurgeProof> signer) {
        Entry bare = new Entry(self, ++issued, order);
        Entry entry = new Entry(self, bare.number(), order, signer.apply(bare));
        begin(entry);
        return entry;
    }

    /**
     * Reports whether an order is the next of its life: not done yet, and none before it is
     * missing.
     */
    public synchronized boolean isNext(Entry entry) {
        return entry.number() == lastNumbers.getOrDefault(entry.source(), 0L) + 1;
    }

    /**
     * Records that an order is about to be carried out here: from now on, owners must have carried
     * it out before their responses count.
     */
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

    /** Records that an order was carried out here: from now on it is sent to other members. */
    public synchronized void recordDone(Entry entry) {
        lastNumbers.merge(entry.source(), entry.number(), Math::max);
        entries.add(entry);
        if (entries.size() > MAX_ORDERS) {
            Entry oldest = entries.remove();
            forgotten.merge(oldest.source(), oldest.number(), Math::max);
        }
        version++;
    }

    /** Returns the number of changes of the log. */
    public synchronized long version() {
        return version;
    }

    /**
     * Records that everything stored was dropped, so that all orders up to these numbers are done.
     */
    public synchronized void recordAllDone(Map<String, Long> reported) {
        reported.forEach((source, number) -> {
            if (number > lastNumbers.getOrDefault(source, 0L)) {
                lastNumbers.put(source, number);
                // The orders in between are not in this log.
                forgotten.merge(source, number, Math::max);
            }
        });
        version++;
    }

    /** Returns the last number done of each life. */
    public synchronized Map<String, Long> lastNumbers() {
        return Map.copyOf(lastNumbers);
    }

    /**
     * Returns orders that another member lacks, in their order.
     *
     * @param otherNumbers last numbers of that member
     * @param most number of orders, at most
     */
    public synchronized List<Entry> missingFrom(Map<String, Long> otherNumbers, int most) {
        List<Entry> all = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry.number() > otherNumbers.getOrDefault(entry.source(), 0L)) {
                all.add(entry);
                if (all.size() == most) {
                    break;
                }
            }
        }
        return all;
    }

    /** Reports whether another member lacks orders that this log has dropped. */
    public synchronized boolean hasForgottenFor(Map<String, Long> otherNumbers) {
        return forgotten.entrySet().stream()
                .anyMatch(last -> last.getValue() > otherNumbers.getOrDefault(last.getKey(), 0L));
    }

    /**
     * Returns the orders that an owner must know before its response counts here, as text; absent
     * when there are no recent ones, which is usual.
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

    /**
     * Reports whether this member knows all orders in {@link #requirements} of another member.
     * False for a text that cannot be parsed.
     */
    public synchronized boolean meets(String required) {
        try {
            return parse(required).entrySet().stream()
                    .allMatch(requirement -> lastNumbers.getOrDefault(requirement.getKey(), 0L)
                            >= requirement.getValue());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Writes {@code SOURCE:NUMBER}, separated by commas. */
    public static String text(Map<String, Long> numbers) {
        StringBuilder out = new StringBuilder();
        numbers.forEach((source, number) ->
                out.append(out.isEmpty() ? "" : ",").append(source).append(':').append(number));
        return out.toString();
    }

    /**
     * Parses {@code SOURCE:NUMBER}, separated by commas.
     *
     * @throws IllegalArgumentException for any other text
     */
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
