package dev.komainu.proxy.control;

import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.message.HttpDate;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.partition.PartitionFigures;
import dev.komainu.proxy.cache.partition.PoolFigures;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.connection.ReclaimFigures;
import dev.komainu.proxy.disk.DiskFigures;
import dev.komainu.proxy.exchange.ManagerPages;
import dev.komainu.proxy.peak.PeakView;
import dev.komainu.proxy.report.ProxySnapshot;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.tally.PoolTally;
import dev.komainu.telemetry.report.ProductVersion;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Figures in the words of Squid's cache manager, for the tools that read those. A name stands here
 * only when we know what it means and the figure means the same; what we do not measure is left
 * out.
 *
 * <table><caption>Names that need telling</caption>
 * <tr><td>client_http.hits</td><td>from memory, stale by leave, or confirmed by a 304, as Squid counts TCP_HIT and its kin</td></tr>
 * <tr><td>client_http.errors</td><td>answered by the proxy itself with 4xx or 5xx</td></tr>
 * <tr><td>client_http.hit_kbytes_out</td><td>bytes sent for those hits, heads included</td></tr>
 * <tr><td>server.http.*, server.all.*</td><td>requests to origins; we speak nothing but HTTP to them</td></tr>
 * <tr><td>swap, disk</td><td>of the disk tier; 0 without one</td></tr>
 * </table>
 *
 * Fed by the report's thread, asked on event loops.
 */
public final class SquidPages implements ManagerPages {

    private static final int MOST_OBJECTS = 500;

    private final MemoryCache cache;
    private final ProxyClock clock;
    private final FigureHistory history = new FigureHistory();
    private volatile @Nullable ProxySnapshot latest;
    private volatile Supplier<@Nullable PeakView> peak = () -> null;

    public SquidPages(MemoryCache cache, ProxyClock clock) {
        this.cache = cache;
        this.clock = clock;
    }

    /** Whom to ask about the peak; before the first page. */
    public void tellPeak(Supplier<@Nullable PeakView> view) {
        peak = view;
    }

    /** Once a second. */
    public void take(ProxySnapshot figures) {
        history.take(figures);
        latest = figures;
    }

    @Override
    public @Nullable String page(String name) {
        ProxySnapshot figures = latest;
        return switch (name) {
            case "", "index", "menu" -> menu();
            case "info" -> figures == null ? "" : info(figures);
            case "counters" -> figures == null ? "" : counters(figures);
            case "5min" -> rates(5);
            case "60min" -> rates(60);
            case "objects" -> objects();
            default -> null;
        };
    }

    private static String menu() {
        return " menu                  \tCache Manager Menu              \tpublic\n"
                + " info                  \tGeneral Runtime Information     \tpublic\n"
                + " counters              \tTraffic and Resource Counters   \tpublic\n"
                + " 5min                  \t5 Minute Average of Counters    \tpublic\n"
                + " 60min                 \t60 Minute Average of Counters   \tpublic\n"
                + " objects               \tCached Objects, " + MOST_OBJECTS
                + " at most   \tpublic\n";
    }

    private static long hits(LoopTally c) {
        return c.hits + c.stale + c.revalidated;
    }

    private static String date(long micros) {
        return HttpDate.format(micros / 1000);
    }

    private static void line(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static void stamp(StringBuilder out, String name, long micros) {
        line(out, "%s = %d.%06d (%s)", name, micros / 1_000_000, micros % 1_000_000, date(micros));
    }

    private String counters(ProxySnapshot f) {
        StringBuilder out = new StringBuilder(2048);
        LoopTally c = f.counters();
        stamp(out, "sample_time", f.atMicros());
        each((name, value) -> line(out, "%s = %d", name, value.applyAsLong(c)));
        // Among the totals only: Squid's averages do not have it.
        line(out, "client_http.hit_kbytes_out = %d", c.hitBytes / 1024);
        FigureHistory.Span span = history.last(0);
        if (span != null) {
            line(out, "cpu_time = %f", span.to().cpuNanos() / 1e9);
        }
        line(out, "wall_time = %f", (f.atMicros() - f.startedMicros()) / 1e6);
        line(out, "swap.outs = %d", FigureHistory.swapOuts(f));
        line(out, "swap.ins = %d", FigureHistory.swapIns(f));
        line(out, "aborted_requests = %d", c.abandoned);
        return out.toString();
    }

    /** One counter in Squid's words. */
    private interface Counters {
        void add(String name, ToLongFunction<LoopTally> value);
    }

    /** In Squid's order. */
    private static void each(Counters counters) {
        counters.add("client_http.requests", c -> c.requests);
        counters.add("client_http.hits", SquidPages::hits);
        counters.add("client_http.errors", c -> c.errors);
        counters.add("client_http.kbytes_in", c -> c.receivedBytes / 1024);
        counters.add("client_http.kbytes_out", c -> c.sentBytes / 1024);
        for (String server : new String[] {"server.all", "server.http"}) {
            counters.add(server + ".requests", c -> c.origin.requests);
            counters.add(server + ".errors", c -> c.origin.failures);
            counters.add(server + ".kbytes_in", c -> c.origin.receivedBytes / 1024);
        }
    }

    private String rates(int minutes) {
        FigureHistory.Span span = history.last(minutes);
        if (span == null) {
            return "";
        }
        LoopTally from = span.from().counters();
        LoopTally to = span.to().counters();
        StringBuilder out = new StringBuilder(2048);
        stamp(out, "sample_start_time", span.from().atMicros());
        stamp(out, "sample_end_time", span.to().atMicros());
        each((name, value) -> line(
                out,
                "%s = %f/sec",
                name,
                (value.applyAsLong(to) - value.applyAsLong(from)) / span.seconds()));
        Double median = span.hitMedianSeconds();
        if (median != null) {
            line(out, "client_http.hit_median_svc_time = %f seconds", median);
        }
        line(
                out,
                "swap.outs = %f/sec",
                (span.to().swapOuts() - span.from().swapOuts()) / span.seconds());
        line(
                out,
                "swap.ins = %f/sec",
                (span.to().swapIns() - span.from().swapIns()) / span.seconds());
        line(out, "aborted_requests = %f/sec", (to.abandoned - from.abandoned) / span.seconds());
        double cpu = (span.to().cpuNanos() - span.from().cpuNanos()) / 1e9;
        line(out, "cpu_time = %f seconds", cpu);
        line(out, "wall_time = %f seconds", span.seconds());
        line(out, "cpu_usage = %f%%", 100 * cpu / span.seconds());
        return out.toString();
    }

    private static double percent(long part, long whole) {
        return whole <= 0 ? 0 : 100.0 * part / whole;
    }

    private String info(ProxySnapshot f) {
        LoopTally c = f.counters();
        FigureHistory.Span five = history.last(5);
        FigureHistory.Span sixty = history.last(60);
        StringBuilder out = new StringBuilder(4096);
        double up = (f.atMicros() - f.startedMicros()) / 1e6;
        line(out, "Komainu Object Cache: Version %s", ProductVersion.text());
        line(out, "Service Name: %s", f.service());
        line(out, "Start Time:\t%s", date(f.startedMicros()));
        line(out, "Current Time:\t%s", date(f.atMicros()));
        line(out, "Connection information for komainu:");
        line(out, "\tNumber of HTTP requests received:\t%d", c.requests);
        line(
                out,
                "\tAverage HTTP requests per minute since start:\t%.1f",
                c.requests / Math.max(up / 60, 1 / 60.0));
        line(out, "Cache information for komainu:");
        if (five != null && sixty != null) {
            String pair = "\t%s:\t5min: %.1f%%, 60min: %.1f%%";
            line(
                    out,
                    pair,
                    "Hits as % of all requests",
                    share(five, SquidPages::hits, t -> t.requests),
                    share(sixty, SquidPages::hits, t -> t.requests));
            line(
                    out,
                    pair,
                    "Hits as % of bytes sent",
                    share(five, t -> t.hitBytes, t -> t.sentBytes),
                    share(sixty, t -> t.hitBytes, t -> t.sentBytes));
            line(
                    out,
                    pair,
                    "Memory hits as % of hit requests",
                    share(five, t -> hits(t) - t.diskHits, SquidPages::hits),
                    share(sixty, t -> hits(t) - t.diskHits, SquidPages::hits));
            line(
                    out,
                    pair,
                    "Disk hits as % of hit requests",
                    share(five, t -> t.diskHits, SquidPages::hits),
                    share(sixty, t -> t.diskHits, SquidPages::hits));
        }
        disk(out, f.disk());
        line(out, "\tStorage Mem size:\t%d KB", f.cacheBytes() / 1024);
        double used = percent(f.cacheBytes(), f.cacheBudgetBytes());
        line(out, "\tStorage Mem capacity:\t%.1f%% used, %.1f%% free", used, 100 - used);
        line(
                out,
                "\tMean Object Size:\t%.2f KB",
                f.cacheObjects() == 0 ? 0.0 : f.cacheBytes() / 1024.0 / f.cacheObjects());
        pools(out, f);
        line(out, "Resource usage for komainu:");
        line(out, "\tUP Time:\t%.3f seconds", up);
        if (five != null && sixty != null) {
            double cpu = five.to().cpuNanos() / 1e9;
            line(out, "\tCPU Time:\t%.3f seconds", cpu);
            line(out, "\tCPU Usage:\t%.2f%%", 100 * cpu / Math.max(up, 0.001));
            line(out, "\tCPU Usage, 5 minute avg:\t%.2f%%", cpuShare(five));
            line(out, "\tCPU Usage, 60 minute avg:\t%.2f%%", cpuShare(sixty));
        }
        for (ReclaimFigures.Level level : f.reclaim().levels()) {
            if (level.resource() == CloseReason.DESCRIPTORS && level.limit() > 0) {
                line(out, "File descriptor usage for komainu:");
                line(out, "\tMaximum number of file descriptors:   %d", level.limit());
                line(out, "\tNumber of file desc currently in use:   %d", level.used());
                line(
                        out,
                        "\tAvailable number of file descriptors:   %d",
                        Math.max(0, level.limit() - level.used()));
            }
        }
        line(out, "Internal Data Structures:");
        line(out, "\t%6d StoreEntries", f.cacheObjects());
        line(out, "\t%6d on-disk objects", f.disk() == null ? 0 : f.disk().records());
        PeakView view = peak.get();
        if (view != null) {
            peak(out, view);
        }
        return out.toString();
    }

    /** Squid has nothing like it, so the words are ours. */
    private static void pools(StringBuilder out, ProxySnapshot f) {
        PartitionFigures pools = f.partition();
        line(out, "Cache pools for komainu:");
        line(out, "\tDivision:\t%s", pools.settings().mode().text());
        line(out, "\tProtected pool target:\t%d KB", pools.targetBytes() / 1024);
        PoolTally counts = f.counters().pools;
        pool(out, "Protected", pools.guarded(), counts.protectedHits, counts.protectedMisses);
        pool(out, "Normal", pools.normal(), counts.normalHits, counts.normalMisses);
        long all = counts.protectedHits
                + counts.protectedMisses
                + counts.normalHits
                + counts.normalMisses;
        line(
                out,
                "\tLook-ups by sweeping clients:\t%.1f%%, clients now: %d",
                percent(f.counters().sweepLookUps, all),
                f.counters().sweepingClients);
    }

    private static void pool(
            StringBuilder out, String name, PoolFigures pool, long hits, long misses) {
        line(
                out,
                "\t%s pool:\t%d KB, %d KB unreferenced, %d entries, %d evictions, %d hits, %d misses",
                name,
                pool.bytes() / 1024,
                pool.unreferencedBytes() / 1024,
                pool.entries(),
                pool.evictions(),
                hits,
                misses);
    }

    private static void disk(StringBuilder out, @Nullable DiskFigures disk) {
        line(out, "\tStorage Swap size:\t%d KB", disk == null ? 0 : disk.bytes() / 1024);
        if (disk != null) {
            double used = percent(disk.bytes(), disk.limitBytes());
            line(out, "\tStorage Swap capacity:\t%.1f%% used, %.1f%% free", used, 100 - used);
        }
    }

    /** Ours: Squid has nothing of the kind. */
    private static void peak(StringBuilder out, PeakView view) {
        line(out, "Peak decision for komainu:");
        line(
                out,
                "\tNow:\t%s",
                view.now().peak() ? "peak, memory only" : "off-peak, memory and disk");
        line(out, "\tReason:\t%s", view.now().reason());
        line(out, "\tSince:\t%s", date(view.now().sinceMillis() * 1000));
        line(out, "\tSwitches:\t%d", view.switches());
        if (view.next() != null) {
            line(
                    out,
                    "\tNext usual peak:\t%s, confidence %.2f",
                    date(view.next().atMillis() * 1000),
                    view.next().confidence());
        }
    }

    private static double cpuShare(FigureHistory.Span span) {
        return 100 * (span.to().cpuNanos() - span.from().cpuNanos()) / 1e9 / span.seconds();
    }

    private static double share(
            FigureHistory.Span span,
            ToLongFunction<LoopTally> part,
            ToLongFunction<LoopTally> whole) {
        LoopTally from = span.from().counters();
        LoopTally to = span.to().counters();
        return percent(
                part.applyAsLong(to) - part.applyAsLong(from),
                whole.applyAsLong(to) - whole.applyAsLong(from));
    }

    /** Some of them: this is written on an event loop. */
    private String objects() {
        StringBuilder out = new StringBuilder(64 * 1024);
        long steady = clock.steadyMillis();
        long wall = clock.wallMillis();
        int[] left = {MOST_OBJECTS};
        boolean all = cache.walk(new byte[0], System.nanoTime() + 5_000_000, (key, entry) -> {
            if (entry instanceof StoredRepresentation stored) {
                object(out, stored, steady, wall);
                left[0]--;
            }
            return left[0] > 0;
        });
        if (!all) {
            out.append("(and more: the contents of the control endpoint list them)\n");
        }
        return out.toString();
    }

    private static void object(
            StringBuilder out, StoredRepresentation stored, long steady, long wall) {
        Freshness freshness = stored.freshness();
        long arrived = (wall - Math.max(0, steady - freshness.arrivedMillis())) / 1000;
        long modified = stored.lastModified() == null
                ? HttpDate.NONE
                : HttpDate.parse(stored.lastModified());
        line(out, "KEY %08X", stored.key().hashCode());
        line(out, "\tSTORE_OK      IN_MEMORY     SWAPOUT_NONE PING_NONE   ");
        line(
                out,
                "\tLV:%-9d LM:%-9d EX:%-9d",
                arrived,
                modified == HttpDate.NONE ? -1 : modified / 1000,
                arrived + freshness.lifetimeSeconds() - freshness.initialAgeSeconds());
        line(out, "\tGET http://%s", stored.key().uri());
        line(out, "\tobject_sz: %d", stored.bodyLength() + stored.headLength());
        out.append('\n');
    }
}
