package dev.komainu.agent.summary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.FrameList;
import dev.komainu.agent.packet.Talk;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;
import org.junit.jupiter.api.Test;

class WindowRollUpTest {

    /** Ten windows of one second add up to the window of ten seconds. */
    @Test
    void seconds_addUpToTheLongWindow() {
        List<Frame> frames = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Talk talk = new Talk("10.0.0.1:" + (40_000 + i), "10.0.0.2:80", 1, 2, frames);
            talk.pause(i * 531_000L).handshake().get("/").pause(i * 7_000L).ok("x".repeat(i * 10));
            talk.pause(i * 90_000L).closeByClient();
        }
        frames.sort(Comparator.comparingLong(Frame::micros));
        List<TelemetryRecord> rolled = new ArrayList<>();
        WindowRollUp rollUp = new WindowRollUp(Duration.ofSeconds(10), rolled::add);
        Analysis.of(frames).windows().forEach(rollUp::accept);
        rollUp.flush();
        List<ServiceWindow> direct = Analysis.of(
                        new FrameList(frames),
                        AnalyzerConfig.file(Set.of()),
                        Endpoint::toString,
                        Duration.ofSeconds(10))
                .windows();
        assertThat(rolled).hasSize(direct.size()).hasSizeGreaterThan(2);
        assertThat(rolled)
                .usingRecursiveFieldByFieldElementComparator(
                        RecursiveComparisonConfiguration.builder()
                                .withEqualsForType((a, b) -> Math.abs(a - b) < 1e-9, Double.class)
                                .build())
                .isEqualTo(direct);
    }
}
