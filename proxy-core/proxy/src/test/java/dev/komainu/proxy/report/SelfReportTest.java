package dev.komainu.proxy.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SelfReportTest {

    private final List<TelemetryRecord> told = new ArrayList<>();
    private final SelfReport report = new SelfReport(
            "here:7680",
            "here",
            List.of(Endpoint.parse("127.0.0.1:7680")),
            Map.of("workers", "2"),
            Map::of,
            told::add);

    @Test
    void run_fiveMinutes_oneSightingAndAStatusEachTenSeconds() {
        for (int second = 0; second < 300; second++) {
            report.run();
        }

        assertThat(told).filteredOn(ServiceSighting.class::isInstance).hasSize(1);
        assertThat(told).filteredOn(SourceStatus.class::isInstance).hasSize(30);
    }

    @Test
    void reportAgain_nextSecond_reportsBothOnce() {
        report.run();
        told.clear();

        report.reportAgain();
        report.run();
        report.run();

        assertThat(told).hasSize(2);
        assertThat(told.getFirst()).isInstanceOf(ServiceSighting.class);
        assertThat(told.getLast()).isInstanceOf(SourceStatus.class);
    }
}
