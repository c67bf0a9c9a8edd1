package dev.komainu.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The demo's visitors. They arrive at scheduled instants, independent of the server (an open loop),
 * so that a slow server faces a growing number of visitors as in production. Their number is
 * limited, and only loopback is a target.
 */
@Command(
        name = "demo-load",
        description = "Generates visitors with a peak, for ./komainu up --demo",
        sortOptions = false)
public final class DemoLoad implements Callable<Integer> {

    private static final int PAGES = 200;
    private static final int RAMP_SECONDS = 5;
    private static final int MOST_PER_SECOND = 500;

    @Option(names = "--target", required = true, description = "ADDRESS:PORT on loopback")
    String target = "";

    @Option(
            names = "--crowd",
            description = "Limit of simultaneous visitors, 1 to 1000 (default: ${DEFAULT-VALUE})")
    int crowd = 160;

    @Option(
            names = "--patience",
            description = "Timeout of a visitor in seconds, 1 to 600 (default: ${DEFAULT-VALUE})")
    int timeoutSeconds = 15;

    @Option(
            names = "--quiet",
            description = "Seconds before and after a peak, 1 to 3600 (default: ${DEFAULT-VALUE})")
    int quietSeconds = 40;

    @Option(
            names = "--peak",
            description = "Seconds of a peak, 1 to 3600 (default: ${DEFAULT-VALUE})")
    int peakSeconds = 50;

    @Option(
            names = "--application",
            split = ",",
            arity = "1",
            description = "Application requests per second, QUIET,PEAK (default: ${DEFAULT-VALUE})")
    double[] applicationRates = {8, 60};

    @Option(names = "--peak-query", description = "Added to the application's query at the peak")
    String peakQuery = "";

    private final AtomicLong present = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong turnedAway = new AtomicLong();

    public static void main(String[] args) {
        System.exit(new CommandLine(new DemoLoad()).execute(args));
    }

    @Override
    public Integer call() throws InterruptedException {
        int colon = target.lastIndexOf(':');
        InetSocketAddress address;
        try {
            address = new InetSocketAddress(
                    InetAddress.ofLiteral(target.substring(0, Math.max(colon, 0))),
                    Integer.parseInt(target.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            System.err.println("--target: " + target + " (expected: ADDRESS:PORT)");
            return 2;
        }
        if (!address.getAddress().isLoopbackAddress()) {
            System.err.println("--target: " + target
                    + " (expected: an address on loopback; the demo has no other targets)");
            return 2;
        }
        if (applicationRates.length != 2
                || !(applicationRates[0] > 0 && applicationRates[0] <= MOST_PER_SECOND)
                || !(applicationRates[1] > 0 && applicationRates[1] <= MOST_PER_SECOND)) {
            System.err.println("--application: (expected: QUIET,PEAK, each above 0 and at most "
                    + MOST_PER_SECOND + ")");
            return 2;
        }
        DailyLoadCurve pageCurve = curve(20, 80);
        DailyLoadCurve applicationCurve = curve(applicationRates[0], applicationRates[1]);
        SingleRequestVisit visit = new SingleRequestVisit(address, timeoutSeconds * 1_000);
        Thread pages = Thread.ofPlatform()
                .name("pages")
                .start(() -> sendVisitors(visit, pageCurve, false, 1));
        Thread application = Thread.ofPlatform()
                .name("application")
                .start(() -> sendVisitors(visit, applicationCurve, true, 2));
        long startNanos = System.nanoTime();
        while (true) {
            Thread.sleep(10_000);
            double second = (System.nanoTime() - startNanos) / 1e9;
            System.out.printf(
                    Locale.ROOT,
                    "t=%.0f s  pages %.0f/s  application %.0f/s  answered %d  failed %d  turned away %d  present %d%n",
                    second,
                    pageCurve.rateAt(second),
                    applicationCurve.rateAt(second),
                    answered.get(),
                    failed.get(),
                    turnedAway.get(),
                    present.get());
            if (!pages.isAlive() && !application.isAlive()) {
                return 1;
            }
        }
    }

    private DailyLoadCurve curve(double quietPerSecond, double peakPerSecond) {
        return new DailyLoadCurve(
                quietPerSecond, peakPerSecond, quietSeconds, RAMP_SECONDS, peakSeconds);
    }

    /** Sends visitors at exponential intervals (a Poisson process) without end. */
    private void sendVisitors(
            SingleRequestVisit visit, DailyLoadCurve curve, boolean application, long seed) {
        Random random = new Random(seed);
        long startNanos = System.nanoTime();
        double due = 0;
        while (true) {
            due += -Math.log(1 - random.nextDouble()) / curve.rateAt(due);
            long wait = startNanos + (long) (due * 1e9) - System.nanoTime();
            if (wait > 0) {
                LockSupport.parkNanos(wait);
            }
            String path = application
                    ? "/app/answer?n=" + random.nextInt(1_000_000) + atPeak(curve, due)
                    : "/page/" + popular(random) + ".html";
            if (present.get() >= crowd) {
                turnedAway.incrementAndGet();
                continue;
            }
            present.incrementAndGet();
            Thread.startVirtualThread(() -> {
                try {
                    int status = visit.request(path);
                    (status < 500 ? answered : failed).incrementAndGet();
                } catch (IOException e) {
                    failed.incrementAndGet();
                } finally {
                    present.decrementAndGet();
                }
            });
        }
    }

    private String atPeak(DailyLoadCurve curve, double second) {
        boolean isPeak = curve.rateAt(second) >= curve.peakPerSecond();
        return isPeak && !peakQuery.isEmpty() ? "&" + peakQuery : "";
    }

    /** Returns a page's number, Zipf-like: page k is about k^-0.8 as popular as page 1. */
    private static int popular(Random random) {
        return 1 + (int) (PAGES * Math.pow(random.nextDouble(), 2.5));
    }
}
