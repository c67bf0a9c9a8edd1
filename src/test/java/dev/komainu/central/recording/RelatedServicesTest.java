package dev.komainu.central.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.recording.RecordedEvent.Accepted;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.ServerProcess;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of the services that an extract needs. */
class RelatedServicesTest {

    private static ServiceSighting sighting(
            String service, String address, @Nullable String originSideOf, String... settings) {
        return new ServiceSighting(
                service,
                "web-01",
                "nginx",
                "nginx",
                null,
                List.of(Endpoint.parse(address)),
                new ServerProcess(1L, "/usr/sbin/nginx"),
                Arrays.stream(settings)
                        .map(value -> new Setting("proxy_pass", value, "default"))
                        .toList(),
                1,
                originSideOf);
    }

    private static RelatedServices of(String service, ServiceSighting... sightings) {
        RelatedServices related = new RelatedServices(service);
        for (ServiceSighting each : sightings) {
            String source = each.service().startsWith("web-01") ? "agent@web-01" : "agent@probe";
            related.note(
                    new Accepted(1, false, new Batch(new BatchId(source, 1, 1), List.of(each))));
        }
        return related;
    }

    @Test
    void proxy_includesItsOriginSideAndTheServersOfItsSettings() {
        RelatedServices related = of(
                "web-01:80",
                sighting("web-01:80", "127.0.0.1:80", null, "http://127.0.0.1:8081"),
                sighting("web-01:80>origin", "127.0.0.1:1", "web-01:80"),
                sighting("web-01:8081", "127.0.0.1:8081", null),
                sighting("web-01:808", "127.0.0.1:808", null),
                sighting("web-01:8082", "127.0.0.1:8082", null));

        assertThat(related.ids())
                .containsExactlyInAnyOrder("web-01:80", "web-01:80>origin", "web-01:8081");
        assertThat(related.sources()).containsExactly("agent@web-01");
    }

    @Test
    void probe_knowsTheServerByItsAddress() {
        RelatedServices related = of(
                "web-01:80",
                sighting("web-01:80", "10.0.0.1:80", null),
                sighting("10.0.0.1:80", "10.0.0.1:80", null),
                sighting("10.0.0.2:80", "10.0.0.2:80", null));

        assertThat(related.ids()).containsExactlyInAnyOrder("web-01:80", "10.0.0.1:80");
        assertThat(related.sources()).containsExactlyInAnyOrder("agent@web-01", "agent@probe");
    }
}
