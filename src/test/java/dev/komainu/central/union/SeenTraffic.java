package dev.komainu.central.union;

import dev.komainu.telemetry.record.ConnectionParts;
import dev.komainu.telemetry.record.PartCounter;
import dev.komainu.telemetry.record.PartTimes;
import dev.komainu.telemetry.record.PartsSum;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.WindowParts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Random connections of one service, and what probes report of them: each probe sees some of the
 * connections, and its clock may be wrong.
 */
final class SeenTraffic {

    static final String SERVICE = "10.0.0.1:80";
    private static final long SECOND = 1_000_000;

    /** A connection; times in microseconds. */
    record Talk(long key, long begins, long ends, List<Long> requests, int bytes) {}

    private final List<Talk> talks = new ArrayList<>();

    /** Adds connections that begin at random times within some seconds. */
    static SeenTraffic random(long seed, int connections, int fromSecond, int seconds) {
        SeenTraffic traffic = new SeenTraffic();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < connections; i++) {
            long begins = fromSecond * SECOND + random.nextInt((int) (seconds * SECOND));
            long ends =
                    begins + 1_000 + random.nextInt(random.nextInt(4) == 0 ? 4_000_000 : 300_000);
            List<Long> requests = new ArrayList<>();
            for (int n = random.nextInt(4); n > 0; n--) {
                requests.add(begins + random.nextInt((int) (ends - begins)));
            }
            traffic.talks.add(
                    new Talk(random.nextLong(), begins, ends, requests, random.nextInt(5_000)));
        }
        return traffic;
    }

    List<Talk> talks() {
        return talks;
    }

    /** A report of one second. */
    record Report(WindowParts parts, ServiceWindow window) {}

    /** Returns the reports of a probe, by second. */
    TreeMap<Long, Report> reports(
            Predicate<Talk> seen, long clockMicros, int fromSecond, int seconds) {
        List<Talk> all = talks.stream()
                .filter(seen)
                .sorted(Comparator.comparing(Talk::key, Long::compareUnsigned))
                .toList();
        TreeMap<Long, Report> reports = new TreeMap<>();
        for (long second = fromSecond; second < fromSecond + seconds; second++) {
            ConnectionParts.Builder parts = new ConnectionParts.Builder();
            ConnectionParts.Builder sample = new ConnectionParts.Builder();
            PartsSum sum = new PartsSum();
            int count = 0;
            for (Talk talk : all) {
                ConnectionParts part = part(talk, clockMicros, second * SECOND);
                if (part.count() > 0) {
                    part.read(sum);
                    if (count < ConnectionParts.SAMPLE) {
                        sample.key(talk.key);
                    }
                    count++;
                }
            }
            boolean isSample = count > ConnectionParts.MOST;
            if (!isSample) {
                List<ConnectionParts> exact = new ArrayList<>();
                for (Talk talk : all) {
                    exact.add(part(talk, clockMicros, second * SECOND));
                }
                reports.put(second, report(sum, second, count, ConnectionParts.together(exact)));
            } else {
                reports.put(second, report(sum, second, count, sample.build()));
            }
        }
        return reports;
    }

    private static Report report(PartsSum sum, long second, int count, ConnectionParts parts) {
        return new Report(
                new WindowParts(SERVICE, second * SECOND, SECOND, count, parts),
                sum.take(SERVICE, second * SECOND, SECOND));
    }

    /** Returns the part of a connection in a second; empty when it has none. */
    private static ConnectionParts part(Talk talk, long clockMicros, long from) {
        long begins = talk.begins + clockMicros;
        long ends = talk.ends + clockMicros;
        long to = from + SECOND;
        if (begins >= to || ends < from) {
            return ConnectionParts.empty();
        }
        TreeMap<Integer, Long> cells = new TreeMap<>();
        put(cells, PartCounter.OPEN_AT_BEGIN, begins < from ? 1 : 0);
        put(cells, PartCounter.OPEN_MICROS, Math.min(ends, to) - Math.max(begins, from));
        boolean isFirst = begins >= from;
        boolean isLast = ends < to;
        put(cells, PartCounter.ARRIVALS, isFirst ? 1 : 0);
        put(cells, PartCounter.ENDED, isLast ? 1 : 0);
        long requests = talk.requests.stream()
                .filter(at -> at + clockMicros >= from && at + clockMicros < to)
                .count();
        put(cells, PartCounter.REQUESTS, requests);
        put(cells, PartCounter.RESPONSES, requests);
        put(cells, PartCounter.PACKETS_UP, requests + (isFirst ? 2 : 0) + (isLast ? 1 : 0));
        put(cells, PartCounter.UNIQUE_BYTES_DOWN, requests * talk.bytes);
        put(cells, PartCounter.PAYLOAD_BYTES_DOWN, requests * talk.bytes);
        if (requests > 0) {
            cells.put(PartTimes.RESPONSE.cellOf(100 + talk.bytes), requests);
            cells.put(ConnectionParts.gridCellOf(100 + talk.bytes, talk.bytes), requests);
        }
        if (isLast) {
            cells.put(PartTimes.CONNECTION.cellOf(talk.ends - talk.begins), 1L);
        }
        ConnectionParts.Builder part = new ConnectionParts.Builder();
        part.part(talk.key, cells.size());
        cells.forEach(part::cell);
        part.steps((isFirst ? 1 : 0) + (isLast ? 1 : 0));
        if (isFirst) {
            part.step((int) (begins - from), true);
        }
        if (isLast) {
            part.step((int) (ends - from), false);
        }
        return part.build();
    }

    private static void put(TreeMap<Integer, Long> cells, PartCounter counter, long value) {
        if (value != 0) {
            cells.put(counter.ordinal(), value);
        }
    }
}
