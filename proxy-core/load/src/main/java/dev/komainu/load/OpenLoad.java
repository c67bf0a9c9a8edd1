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
 * The papers' load: visitors that come by the clock, each with an address of its own. It measures
 * nothing but its own punctuality; times are taken from packets by the monitor. Only loopback and
 * private addresses are ever a target.
 */
@Command(name = "open-load", description = "Open-loop load for the benches", sortOptions = false)
public final class OpenLoad implements Callable<Integer> {

    @Option(names = "--target", required = true, description = "ADDRESS:PORT, loopback or private")
    String target = "";

    @Option(
            names = "--phases",
            required = true,
            description = "RATExSECONDS,…; FROM-TOxSECONDS is a ramp")
    String phases = "";

    @Option(names = "--even", description = "Even distances instead of a Poisson process")
    boolean even;

    @Option(names = "--from", description = "The visitors' addresses, A.B.C.D+COUNT")
    @Nullable
    String from;

    @Option(names = "--pages", description = "COUNT pages /page/N.html of Zipf-like popularity")
    int pages;

    @Option(names = "--path", description = "Every visitor asks for this")
    @Nullable
    String path;

    @Option(
            names = "--together",
            description =
                    "Visitors that come at one instant; the rate counts such groups (${DEFAULT-VALUE})")
    int together = 1;

    @Option(
            names = "--hit-ratio",
            description = "Without --pages: what a perfect cache answers (${DEFAULT-VALUE})")
    double hitRatio = 0.55;

    @Option(
            names = "--cachable",
            description = "Without --pages: share that may be kept (${DEFAULT-VALUE})")
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
            description = "Seconds a connection is held after the last answer (${DEFAULT-VALUE})")
    double lingerSeconds;

    @Option(
            names = "--patience",
            description = "Seconds until a visitor gives up (${DEFAULT-VALUE})")
    int patienceSeconds = 30;

    @Option(
            names = "--crowd",
            description = "Most visitors at once; others are turned away and counted")
    int crowd = 20_000;

    @Option(names = "--seed", description = "Same seed, same visitors (${DEFAULT-VALUE})")
    long seed = 1;

    public static void main(String[] args) {
        System.exit(new CommandLine(new OpenLoad()).execute(args));
    }

    @Override
    public Integer call() throws InterruptedException {
        VisitorSession stay;
        Arrivals arrivals;
        VisitorAddresses visitors;
        try {
            stay = new VisitorSession(
                    address(), patienceSeconds * 1_000, (int) (lingerSeconds * 1_000));
            arrivals = new Arrivals(LoadPhases.parse(phases), even, new Random(seed));
            visitors = from == null ? null : VisitorAddresses.parse(from);
            check();
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            return 2;
        }
        LoadCounts counts = new LoadCounts();
        come(stay, arrivals, visitors, wishes(), counts);
        System.out.println(counts.json());
        return 0;
    }

    private RequestSource wishes() {
        String one = path;
        if (one != null) {
            return second -> one;
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

    private void come(
            VisitorSession stay,
            Arrivals arrivals,
            @Nullable VisitorAddresses visitors,
            RequestSource wishes,
            LoadCounts counts)
            throws InterruptedException {
        Semaphore room = new Semaphore(crowd);
        Random pauses = new Random(seed + 2);
        long begun = System.nanoTime();
        long visit = 0;
        for (double due = arrivals.next(); due >= 0; due = arrivals.next()) {
            long late = waitUntil(begun + (long) (due * 1e9));
            for (int n = 0; n < together; n++) {
                List<String> paths = new ArrayList<>(requests);
                List<Integer> rests = new ArrayList<>(requests);
                for (int i = 0; i < requests; i++) {
                    paths.add(wishes.next(due));
                    rests.add((int) (-Math.log(1 - pauses.nextDouble()) * pauseSeconds * 1_000));
                }
                InetAddress own = visitors == null ? null : visitors.address(visit);
                visit++;
                counts.came(late);
                if (room.tryAcquire()) {
                    Thread.startVirtualThread(() -> visit(stay, own, paths, rests, counts, room));
                } else {
                    counts.turnedAway();
                }
            }
        }
        room.acquire(crowd); // until the last visitor has left
    }

    private static void visit(
            VisitorSession stay,
            @Nullable InetAddress own,
            List<String> paths,
            List<Integer> rests,
            LoadCounts counts,
            Semaphore room) {
        try {
            stay.ask(own, paths, rests).forEach(counts::answered);
        } catch (IOException e) {
            counts.failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            room.release();
        }
    }

    /** @return nanoseconds it was late */
    private static long waitUntil(long instant) {
        long left = instant - System.nanoTime();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = instant - System.nanoTime();
        }
        return -left;
    }

    private void check() {
        List<String> mistakes = new ArrayList<>();
        if (cachable <= 0 || cachable > 1) {
            mistakes.add("--cachable: " + cachable + " (expected: above 0 to 1)");
        }
        if (hitRatio < 0 || hitRatio > cachable) {
            mistakes.add(
                    "--hit-ratio: " + hitRatio + " (expected: 0 to --cachable, " + cachable + ")");
        }
        if (zipf < 0 || zipf > 0.95) {
            mistakes.add("--zipf: " + zipf + " (expected: 0 to 0.95)");
        }
        if (requests < 1 || requests > 1_000) {
            mistakes.add("--requests: " + requests + " (expected: 1 to 1000)");
        }
        if (meanBytes < 128 || meanBytes > 1e9) {
            mistakes.add("--mean-bytes: " + meanBytes + " (expected: 128 to 1000000000)");
        }
        if (patienceSeconds < 1 || patienceSeconds > 3_600) {
            mistakes.add("--patience: " + patienceSeconds + " (expected: 1 to 3600)");
        }
        if (lingerSeconds < 0
                || lingerSeconds > 3_600
                || pauseSeconds < 0
                || pauseSeconds > 3_600) {
            mistakes.add("--linger, --pause: " + lingerSeconds + ", " + pauseSeconds
                    + " (expected: 0 to 3600)");
        }
        if (path != null && !path.startsWith("/")) {
            mistakes.add("--path: " + path + " (expected: a path that begins with /)");
        }
        if (together < 1 || together > 1_000) {
            mistakes.add("--together: " + together + " (expected: 1 to 1000)");
        }
        if (crowd < 1) {
            mistakes.add("--crowd: " + crowd + " (expected: 1 or more)");
        }
        if (!mistakes.isEmpty()) {
            throw new IllegalArgumentException(String.join(System.lineSeparator(), mistakes));
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
                    + " (expected: a loopback or private address; nobody else is visited)");
        }
        return new InetSocketAddress(address, port);
    }
}
