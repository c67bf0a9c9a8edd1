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
 * The demo's visitors. They come by the clock, not when the server has time (open loop), so that a
 * slow server meets a growing crowd as it would in life; the crowd is bounded, and only loopback is
 * ever a target.
 */
@Command(
        name = "demo-load",
        description = "Visitors with a peak, for ./komainu up --demo",
        sortOptions = false)
public final class DemoLoad implements Callable<Integer> {

    private static final int PAGES = 200;
    private static final DailyLoadCurve PAGE_RHYTHM = new DailyLoadCurve(20, 80, 40, 5, 50);
    /** The demo server carries 40 of these a second: eight workers, 0.2 s each. */
    private static final DailyLoadCurve APPLICATION_RHYTHM = new DailyLoadCurve(8, 60, 40, 5, 50);

    @Option(names = "--target", required = true, description = "ADDRESS:PORT on loopback")
    String target = "";

    @Option(
            names = "--crowd",
            description = "Most visitors at once, 1 to 1000 (default: ${DEFAULT-VALUE})")
    int crowd = 160;

    @Option(
            names = "--patience",
            description = "Seconds until a visitor gives up, 1 to 600 (default: ${DEFAULT-VALUE})")
    int patienceSeconds = 15;

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
                    + " (expected: an address on loopback; the demo visits nobody else)");
            return 2;
        }
        SingleRequestVisit visit = new SingleRequestVisit(address, patienceSeconds * 1_000);
        Thread pages =
                Thread.ofPlatform().name("pages").start(() -> come(visit, PAGE_RHYTHM, false, 1));
        Thread application = Thread.ofPlatform()
                .name("application")
                .start(() -> come(visit, APPLICATION_RHYTHM, true, 2));
        long begun = System.nanoTime();
        while (true) {
            Thread.sleep(10_000);
            double second = (System.nanoTime() - begun) / 1e9;
            System.out.printf(
                    Locale.ROOT,
                    "t=%.0f s  pages %.0f/s  application %.0f/s  answered %d  failed %d  turned away %d  present %d%n",
                    second,
                    PAGE_RHYTHM.rateAt(second),
                    APPLICATION_RHYTHM.rateAt(second),
                    answered.get(),
                    failed.get(),
                    turnedAway.get(),
                    present.get());
            if (!pages.isAlive() && !application.isAlive()) {
                return 1;
            }
        }
    }

    /** Lets visitors come at exponential distances (a Poisson process) for ever. */
    private void come(
            SingleRequestVisit visit, DailyLoadCurve rhythm, boolean application, long seed) {
        Random random = new Random(seed);
        long begun = System.nanoTime();
        double due = 0;
        while (true) {
            due += -Math.log(1 - random.nextDouble()) / rhythm.rateAt(due);
            long wait = begun + (long) (due * 1e9) - System.nanoTime();
            if (wait > 0) {
                LockSupport.parkNanos(wait);
            }
            String path = application
                    ? "/app/answer?n=" + random.nextInt(1_000_000)
                    : "/page/" + popular(random) + ".html";
            if (present.get() >= crowd) {
                turnedAway.incrementAndGet();
                continue;
            }
            present.incrementAndGet();
            Thread.startVirtualThread(() -> {
                try {
                    int status = visit.ask(path);
                    (status < 500 ? answered : failed).incrementAndGet();
                } catch (IOException e) {
                    failed.incrementAndGet();
                } finally {
                    present.decrementAndGet();
                }
            });
        }
    }

    /** Zipf-like: page k about k^-0.8 as popular as page 1. */
    private static int popular(Random random) {
        return 1 + (int) (PAGES * Math.pow(random.nextDouble(), 2.5));
    }
}
