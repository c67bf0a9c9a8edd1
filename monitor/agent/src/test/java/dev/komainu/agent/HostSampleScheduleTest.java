package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.agent.settings.GivenSettings;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The real clock and the real host; only the packets are synthetic. */
class HostSampleScheduleTest {

    private final Queue<TelemetryRecord> records = new ConcurrentLinkedQueue<>();
    private final ScheduledExecutorService clock = new PromptClock();

    /**
     * A clock that runs a task of another thread before it returns, as on a machine that is slow to
     * continue the calling thread.
     */
    private static final class PromptClock extends ScheduledThreadPoolExecutor {

        private final ThreadLocal<Boolean> own = ThreadLocal.withInitial(() -> false);

        PromptClock() {
            super(1);
            execute(() -> own.set(true));
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            ScheduledFuture<?> planned = super.schedule(task, delay, unit);
            if (delay == 0 && !own.get()) {
                await().atMost(Duration.ofSeconds(60)).until(planned::isDone);
            }
            return planned;
        }
    }

    @AfterEach
    void tearDown() {
        clock.shutdownNow();
    }

    @Test
    void doubt_betweenTwoSamplesFarApart_samplesEverySecondAtOnce() throws Exception {
        try (HostTask round = round("auto")) {
            HostSampleSchedule pace = pace("auto", round);
            clock.submit(() -> round.sample(false)).get();
            pace.start(0);
            await().atMost(Duration.ofSeconds(60)).until(() -> samples().size() == 1);

            pace.onWindow(unansweredSyns());

            await("three samples soon, the next was five minutes away")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> samples().size() >= 4);
            assertThat(samples().get(3).intervalMicros()).isBetween(1L, 100_000_000L);
        }
    }

    @Test
    void failedResponsesInALog_sampleEverySecondAtOnce() throws Exception {
        try (HostTask round = round("auto")) {
            HostSampleSchedule pace = pace("auto", round);
            clock.submit(() -> round.sample(false)).get();
            pace.start(0);
            await().atMost(Duration.ofSeconds(60)).until(() -> samples().size() == 1);

            clock.submit(() -> pace.onFailedResponses(List.of("here:80"))).get();

            await("three samples soon, the next was five minutes away")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> samples().size() >= 4);
        }
    }

    @Test
    void doubtForbidden_nothingIsSampledEarlier() throws Exception {
        try (HostTask round = round("never")) {
            HostSampleSchedule pace = pace("never", round);
            clock.submit(() -> round.sample(false)).get();
            pace.start(0);
            await().atMost(Duration.ofSeconds(60)).until(() -> samples().size() == 1);

            pace.onWindow(unansweredSyns());

            clock.submit(() -> {}).get();
            assertThat(samples()).hasSize(1);
        }
    }

    private HostTask round(String doubt) throws Exception {
        return new HostTask(
                settings(doubt),
                records::add,
                new WatchedServices(List.of(), Set.of()),
                new TaskProblems());
    }

    private HostSampleSchedule pace(String doubt, HostTask round) throws Exception {
        return new HostSampleSchedule(settings(doubt).host(), clock, round, work -> work);
    }

    private static AgentSettings settings(String doubt) throws Exception {
        return GivenSettings.read(
                Map.of(
                        "print",
                        "true",
                        "host.interval",
                        "5m",
                        "host.doubt",
                        doubt,
                        "host.system-calls",
                        "never"),
                Map.of(),
                null,
                "here");
    }

    private List<HostSample> samples() {
        return records.stream()
                .filter(HostSample.class::isInstance)
                .map(HostSample.class::cast)
                .toList();
    }

    private static ServiceWindow unansweredSyns() {
        DirectionTotals nothing = DirectionTotals.NONE;
        Distribution none = Distribution.empty();
        return new ServiceWindow(
                "here:80",
                0,
                1_000_000,
                new ServiceWindow.Connections(5, 0, 0, 0, 0, 0, 0),
                new ServiceWindow.Exchanges(0, 0, 0),
                new ServiceWindow.Concurrency(0, 0, 0),
                new ServiceWindow.Packets(nothing, nothing, 9, 9, 0, 0),
                new ServiceWindow.Times(none, none, none),
                null);
    }
}
