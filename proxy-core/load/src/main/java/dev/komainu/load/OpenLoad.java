package dev.komainu.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The papers' load: visitors that arrive at scheduled instants, each with an address of its own. It
 * measures only its own punctuality; the monitor takes times from packets. Only loopback and
 * private addresses are targets.
 */
@Command(
        name = "open-load",
        description = "Open-loop load for the experiments",
        sortOptions = false)
public final class OpenLoad implements Callable<Integer> {

    @Option(names = "--target", required = true, description = "ADDRESS:PORT, loopback or private")
    String target = "";

    @Option(
            names = "--phases",
            required = true,
            description = "RATExSECONDS,…; FROM-TOxSECONDS is a ramp")
    String phases = "";

    @Option(names = "--even", description = "Even intervals instead of a Poisson process")
    boolean even;

    @Option(names = "--from", description = "The visitors' addresses, A.B.C.D+COUNT")
    @Nullable
    String from;

    @Option(names = "--pages", description = "COUNT pages /page/N.html of Zipf-like popularity")
    int pages;

    @Option(names = "--path", description = "The path of every request")
    @Nullable
    String path;

    @Option(
            names = "--together",
            description =
                    "Visitors that arrive at one instant; the rate counts such groups (${DEFAULT-VALUE})")
    int together = 1;

    @Option(
            names = "--hit-ratio",
            description = "Without --pages: hit ratio of a perfect cache (${DEFAULT-VALUE})")
    double hitRatio = 0.55;

    @Option(
            names = "--cachable",
            description = "Without --pages: share of cacheable objects (${DEFAULT-VALUE})")
    double cachable = 0.8;

    @Option(names = "--mean-bytes", description = "Without --pages: mean size (${DEFAULT-VALUE})")
    double meanBytes = 10_240;

    @Option(names = "--zipf", description = "Exponent of popularity, 0 to 0.95 (${DEFAULT-VALUE})")
    double zipf = 0.7;

    @Option(names = "--requests", description = "Requests on one connection (${DEFAULT-VALUE})")
    int requests = 1;

    @Option(
            names = "--pause",
            description = "Mean seconds between them, exponential (${DEFAULT-VALUE})")
    double pauseSeconds = 1;

    @Option(
            names = "--linger",
            description =
                    "Seconds for which a connection stays open after the last response (${DEFAULT-VALUE})")
    double lingerSeconds;

    @Option(
            names = "--patience",
            description = "Timeout of a visitor in seconds (${DEFAULT-VALUE})")
    int patienceSeconds = 30;

    @Option(
            names = "--crowd",
            description = "Limit of simultaneous visitors; others are turned away and counted")
    int crowd = 20_000;

    @Option(
            names = "--seed",
            description =
                    "Random seed: the same seed generates the same visitors (${DEFAULT-VALUE})")
    long seed = 1;

    public static void main(String[] args) {
        System.exit(new CommandLine(new OpenLoad()).execute(args));
    }

    @Override
    public Integer call() throws InterruptedException {
        VisitorSession session;
        Arrivals arrivals;
        VisitorAddresses visitors;
        try {
            session = new VisitorSession(
                    address(), patienceSeconds * 1_000, (int) (lingerSeconds * 1_000));
            arrivals = new Arrivals(LoadPhases.parse(phases), even, new Random(seed));
            visitors = from == null ? null : VisitorAddresses.parse(from);
            check();
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            return 2;
        }
        LoadCounts counts = new LoadCounts();
        sendVisitors(session, arrivals, visitors, requestSource(), counts);
        System.out.println(counts.json());
        return 0;
    }

    private RequestSource requestSource() {
        String onlyPath = path;
        if (onlyPath != null) {
            return second -> onlyPath;
        }
        return pages > 0
                ? new ZipfPages("/page/%d.html", pages, zipf, new Random(seed + 1))
                : new RecurringObjects(
                        hitRatio,
                        cachable,
                        ObjectSizes.exponential(meanBytes),
                        zipf,
                        new Random(seed + 1));
    }

    private void sendVisitors(
            VisitorSession session,
            Arrivals arrivals,
            @Nullable VisitorAddresses visitors,
            RequestSource requestSource,
            LoadCounts counts)
            throws InterruptedException {
        Semaphore slots = new Semaphore(crowd);
        Random pauses = new Random(seed + 2);
        long startNanos = System.nanoTime();
        long visit = 0;
        for (double due = arrivals.next(); due >= 0; due = arrivals.next()) {
            long late = waitUntil(startNanos + (long) (due * 1e9));
            for (int n = 0; n < together; n++) {
                List<String> paths = new ArrayList<>(requests);
                List<Integer> pausesMillis = new ArrayList<>(requests);
                for (int i = 0; i < requests; i++) {
                    paths.add(requestSource.next(due));
                    pausesMillis.add(
                            (int) (-Math.log(1 - pauses.nextDouble()) * pauseSeconds * 1_000));
                }
                InetAddress address = visitors == null ? null : visitors.address(visit);
                visit++;
                counts.came(late);
                if (slots.tryAcquire()) {
                    Thread.startVirtualThread(
                            () -> visit(session, address, paths, pausesMillis, counts, slots));
                } else {
                    counts.turnedAway();
                }
            }
        }
        slots.acquire(crowd); // until the last visitor has left
    }

    private static void visit(
            VisitorSession session,
            @Nullable InetAddress address,
            List<String> paths,
            List<Integer> pausesMillis,
            LoadCounts counts,
            Semaphore slots) {
        try {
            session.request(address, paths, pausesMillis).forEach(counts::answered);
        } catch (IOException e) {
            counts.failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            slots.release();
        }
    }

    /** Waits for an instant. Returns the delay in nanoseconds. */
    private static long waitUntil(long instant) {
        long remaining = instant - System.nanoTime();
        while (remaining > 0) {
            LockSupport.parkNanos(remaining);
            remaining = instant - System.nanoTime();
        }
        return -remaining;
    }

    private void check() {
        List<String> problems = new ArrayList<>();
        if (cachable <= 0 || cachable > 1) {
            problems.add("--cachable: " + cachable + " (expected: above 0 to 1)");
        }
        if (hitRatio < 0 || hitRatio > cachable) {
            problems.add(
                    "--hit-ratio: " + hitRatio + " (expected: 0 to --cachable, " + cachable + ")");
        }
        if (zipf < 0 || zipf > 0.95) {
            problems.add("--zipf: " + zipf + " (expected: 0 to 0.95)");
        }
        if (requests < 1 || requests > 1_000) {
            problems.add("--requests: " + requests + " (expected: 1 to 1000)");
        }
        if (meanBytes < 128 || meanBytes > 1e9) {
            problems.add("--mean-bytes: " + meanBytes + " (expected: 128 to 1000000000)");
        }
        if (patienceSeconds < 1 || patienceSeconds > 3_600) {
            problems.add("--patience: " + patienceSeconds + " (expected: 1 to 3600)");
        }
        if (lingerSeconds < 0
                || lingerSeconds > 3_600
                || pauseSeconds < 0
                || pauseSeconds > 3_600) {
            problems.add("--linger, --pause: " + lingerSeconds + ", " + pauseSeconds
                    + " (expected: 0 to 3600)");
        }
        if (path != null && !path.startsWith("/")) {
            problems.add("--path: " + path + " (expected: a path that begins with /)");
        }
        if (together < 1 || together > 1_000) {
            problems.add("--together: " + together + " (expected: 1 to 1000)");
        }
        if (crowd < 1) {
            problems.add("--crowd: " + crowd + " (expected: 1 or more)");
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join(System.lineSeparator(), problems));
        }
    }

    private InetSocketAddress address() {
        int colon = target.lastIndexOf(':');
        InetAddress address;
        int port;
        try {
            address = InetAddress.ofLiteral(target.substring(0, Math.max(colon, 0)));
            port = Integer.parseInt(target.substring(colon + 1));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "--target: " + target + " (expected: ADDRESS:PORT)", e);
        }
        if (!address.isLoopbackAddress() && !address.isSiteLocalAddress()) {
            throw new IllegalArgumentException("--target: " + target
                    + " (expected: a loopback or private address; no other targets are permitted)");
        }
        return new InetSocketAddress(address, port);
    }
}
