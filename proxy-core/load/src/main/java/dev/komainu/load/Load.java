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
 * The benchmark near reality (thesis 7.2.1): visitors with addresses of their own, who come by the
 * clock or belong here, look at pages, think, and lose patience. What it says of the server is
 * measured from each visitor's wish, as he feels it.
 */
@Command(
        name = "load",
        description = "Visitors for a web server or proxy, and what they met.",
        footer = {
            "",
            "Options can stand in a file, one or more a line: ./komainu load @evening.load",
            "Whoever is not on loopback must be named in the file of --allow, a line each:",
            "  www.example.org:80   192.0.2.7   10.20.0.0/16:8080",
            "",
            "Exit codes: 0 done, 1 nothing was answered, 2 wrong usage."
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
            description = "All figures, for programs; - is standard output")
    @Nullable
    String json;

    @Option(names = "--quiet", description = "No lines while it goes on")
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
        Instant began = Instant.now();
        LoadMeasurements measured = run(plan);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("target", plan.manner().authority());
        figures.put("http", plan.manner().version().text());
        figures.put("began", began.toString());
        figures.put("ended", Instant.now().toString());
        figures.putAll(LoadResultReport.figures(measured));
        String written = JsonMapper.builder()
                .build()
                .writerWithDefaultPrettyPrinter()
                .writeValueAsString(figures);
        if ("-".equals(json)) {
            System.out.println(written);
        } else {
            System.out.print(LoadResultReport.text(measured));
            if (json != null) {
                Files.writeString(Path.of(json), written + "\n");
            }
        }
        return measured.anythingCame() ? 0 : 1;
    }

    /** Until the last visitor has left. */
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
                            plan.manner().patience().toMillis());
            if (epoll) {
                // Else each of a visitor's addresses has 28,000 ports in all, not towards each
                // server.
                connecting.option(EpollChannelOption.IP_BIND_ADDRESS_NO_PORT, true);
            }
            long begun = System.nanoTime();
            LoadMeasurements measured =
                    new LoadMeasurements(begun, plan.phases(), PROGRESS_SECONDS);
            VisitorPool crowd = new VisitorPool(
                    connecting,
                    plan.manner(),
                    plan.addresses(),
                    plan.pages(),
                    plan.habits(),
                    measured,
                    begun,
                    plan.most());
            Progress progress = new Progress(measured, begun, quiet ? null : System.err);
            if (plan.population() > 0) {
                settle(plan, crowd, progress, begun);
            } else {
                come(plan, crowd, progress, begun);
            }
            crowd.close();
            crowd.awaitEmpty(plan.manner().patience().toSeconds() + 5);
            return measured;
        } finally {
            loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).await(5, TimeUnit.SECONDS);
        }
    }

    private static void come(LoadPlan plan, VisitorPool crowd, Progress progress, long begun) {
        Arrivals arrivals = new Arrivals(plan.phases(), plan.even(), new Random(plan.seed()));
        Random random = new Random(plan.seed() + 2);
        long visit = 0;
        for (double due = arrivals.next(); due >= 0; due = arrivals.next()) {
            long instant = begun + (long) (due * 1e9);
            progress.waitUntil(instant);
            crowd.come(visit++, instant, random);
        }
        progress.waitUntil(begun + (long) (plan.phases().seconds() * 1e9));
    }

    /**
     * All are here from the beginning; their first pages spread over a mean pause, so that they do
     * not march in step.
     */
    private static void settle(LoadPlan plan, VisitorPool crowd, Progress progress, long begun) {
        Random random = new Random(plan.seed() + 2);
        double spread = Math.max(1, plan.habits().thinkSeconds());
        for (int visitor = 0; visitor < plan.population(); visitor++) {
            crowd.settle(
                    visitor,
                    begun + (long) (random.nextDouble() * spread * 1e9),
                    random.nextLong());
        }
        progress.waitUntil(begun + (long) (plan.phases().seconds() * 1e9));
    }

    /**
     * Waits for an instant, and says every few seconds how it goes. On the thread that decides who
     * comes.
     */
    private static final class Progress {

        private final LoadMeasurements measured;
        private final long begun;
        private final java.io.@Nullable PrintStream out;
        private long nextNanos;

        Progress(LoadMeasurements measured, long begun, java.io.@Nullable PrintStream out) {
            this.measured = measured;
            this.begun = begun;
            this.out = out;
            this.nextNanos = begun + PROGRESS_SECONDS * 1_000_000_000L;
        }

        void waitUntil(long instant) {
            for (long now = System.nanoTime(); now - instant < 0; now = System.nanoTime()) {
                if (now - nextNanos >= 0) {
                    say(now);
                }
                LockSupport.parkNanos(Math.min(instant, nextNanos) - now);
            }
            if (System.nanoTime() - nextNanos >= 0) {
                say(System.nanoTime());
            }
        }

        private void say(long now) {
            if (out != null) {
                out.println(LoadResultReport.progress(measured, Math.floor((now - begun) / 1e9)));
            }
            nextNanos += PROGRESS_SECONDS * 1_000_000_000L;
        }
    }
}
