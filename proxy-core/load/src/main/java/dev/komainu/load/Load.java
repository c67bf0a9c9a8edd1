package dev.komainu.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/**
 * The realistic benchmark (thesis 7.2.1): visitors with addresses of their own that arrive at
 * scheduled instants or belong to a fixed population, view pages, pause, and time out. Times are
 * measured from the instant of each visitor's request, as a user perceives them.
 */
@Command(
        name = "load",
        description =
                "Generates visitors of a web server or proxy and reports their response times.",
        footer = {
            "",
            "Options can be read from a file, one or more a line: ./komainu load @evening.load",
            "A target that is not on loopback must be listed in the file of --allow, one a line:",
            "  www.example.org:80   192.0.2.7   10.20.0.0/16:8080",
            "",
            "Exit codes: 0 done, 1 no response was received, 2 invalid usage."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class Load implements Callable<Integer> {

    private static final int PROGRESS_SECONDS = 5;

    @Mixin
    LoadOptions options = new LoadOptions();

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "File for all values as JSON; - is standard output")
    @Nullable
    String json;

    @Option(names = "--quiet", description = "Print no progress lines")
    boolean quiet;

    public static void main(String[] args) {
        System.exit(new CommandLine(new Load()).execute(args));
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        LoadPlan plan;
        try {
            plan = options.plan();
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            return 2;
        }
        Instant started = Instant.now();
        LoadMeasurements measurements = run(plan);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("target", plan.profile().authority());
        figures.put("http", plan.profile().version().text());
        figures.put("began", started.toString());
        figures.put("ended", Instant.now().toString());
        figures.putAll(LoadResultReport.figures(measurements));
        String written = JsonMapper.builder()
                .build()
                .writerWithDefaultPrettyPrinter()
                .writeValueAsString(figures);
        if ("-".equals(json)) {
            System.out.println(written);
        } else {
            System.out.print(LoadResultReport.text(measurements));
            if (json != null) {
                Files.writeString(Path.of(json), written + "\n");
            }
        }
        return measurements.hasResponses() ? 0 : 1;
    }

    /** Runs the load until the last visitor has left. */
    private LoadMeasurements run(LoadPlan plan) throws InterruptedException {
        boolean epoll = Epoll.isAvailable();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                plan.threads(), epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        try {
            Bootstrap connecting = new Bootstrap()
                    .group(loops)
                    .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                            plan.profile().timeout().toMillis());
            if (epoll) {
                // Otherwise each of a visitor's addresses has 28,000 ports in total, instead of
                // 28,000 for each server.
                connecting.option(EpollChannelOption.IP_BIND_ADDRESS_NO_PORT, true);
            }
            long startNanos = System.nanoTime();
            LoadMeasurements measurements =
                    new LoadMeasurements(startNanos, plan.phases(), PROGRESS_SECONDS);
            VisitorPool visitors = new VisitorPool(
                    connecting,
                    plan.profile(),
                    plan.addresses(),
                    plan.pages(),
                    plan.visitModel(),
                    measurements,
                    startNanos,
                    plan.maxVisitors());
            Progress progress = new Progress(measurements, startNanos, quiet ? null : System.err);
            if (plan.population() > 0) {
                addPopulation(plan, visitors, progress, startNanos);
            } else {
                sendArrivals(plan, visitors, progress, startNanos);
            }
            visitors.close();
            visitors.awaitEmpty(plan.profile().timeout().toSeconds() + 5);
            return measurements;
        } finally {
            loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).await(5, TimeUnit.SECONDS);
        }
    }

    private static void sendArrivals(
            LoadPlan plan, VisitorPool visitors, Progress progress, long startNanos) {
        Arrivals arrivals = new Arrivals(plan.phases(), plan.even(), new Random(plan.seed()));
        Random random = new Random(plan.seed() + 2);
        long visit = 0;
        for (double due = arrivals.next(); due >= 0; due = arrivals.next()) {
            long instantNanos = startNanos + (long) (due * 1e9);
            progress.waitUntil(instantNanos);
            visitors.arrive(visit++, instantNanos, random);
        }
        progress.waitUntil(startNanos + (long) (plan.phases().seconds() * 1e9));
    }

    /**
     * Adds the fixed population at the start. Its first pages are spread over a mean pause, so that
     * the visitors do not act in step.
     */
    private static void addPopulation(
            LoadPlan plan, VisitorPool visitors, Progress progress, long startNanos) {
        Random random = new Random(plan.seed() + 2);
        double spread = Math.max(1, plan.visitModel().thinkSeconds());
        for (int visitor = 0; visitor < plan.population(); visitor++) {
            visitors.addResident(
                    visitor,
                    startNanos + (long) (random.nextDouble() * spread * 1e9),
                    random.nextLong());
        }
        progress.waitUntil(startNanos + (long) (plan.phases().seconds() * 1e9));
    }

    /**
     * Waits for instants and prints the progress every few seconds. Used on the scheduling thread.
     */
    private static final class Progress {

        private final LoadMeasurements measurements;
        private final long startNanos;
        private final java.io.@Nullable PrintStream out;
        private long nextNanos;

        Progress(
                LoadMeasurements measurements, long startNanos, java.io.@Nullable PrintStream out) {
            this.measurements = measurements;
            this.startNanos = startNanos;
            this.out = out;
            this.nextNanos = startNanos + PROGRESS_SECONDS * 1_000_000_000L;
        }

        void waitUntil(long instantNanos) {
            for (long now = System.nanoTime(); now - instantNanos < 0; now = System.nanoTime()) {
                if (now - nextNanos >= 0) {
                    print(now);
                }
                LockSupport.parkNanos(Math.min(instantNanos, nextNanos) - now);
            }
            if (System.nanoTime() - nextNanos >= 0) {
                print(System.nanoTime());
            }
        }

        private void print(long now) {
            if (out != null) {
                out.println(LoadResultReport.progress(
                        measurements, Math.floor((now - startNanos) / 1e9)));
            }
            nextNanos += PROGRESS_SECONDS * 1_000_000_000L;
        }
    }
}
