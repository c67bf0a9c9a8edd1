package dev.komainu.central.indices;

import dev.komainu.central.recording.RecordedEvent;
import dev.komainu.central.recording.RecordedEvent.Accepted;
import dev.komainu.central.recording.RecordedEvent.Ticked;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Scenarios as batches of an agent, with their arrivals: a window 0.35 s after its second, a host
 * sample 1.2 s after its time, a tick at 0.85 s of each second.
 */
public final class ScenarioTraffic {

    /** Second 0 of each scenario, since the epoch. */
    public static final long START = ScenarioRun.START;

    private static final long SECOND = 1_000_000;

    private ScenarioTraffic() {}

    /**
     * Returns the events of some scenario files, each on a host of its own, named {@code web-01},
     * {@code web-02} …
     *
     * @param offset second of the first host sample
     */
    public static List<RecordedEvent> of(int offset, List<String> resources) {
        List<Scenario> scenarios = resources.stream()
                .map(resource -> YamlResource.read(resource, Scenario.class))
                .toList();
        return ofScenarios(offset, scenarios);
    }

    /** Returns the events of some scenarios. */
    public static List<RecordedEvent> ofScenarios(int offset, List<Scenario> scenarios) {
        List<RecordedEvent> events = new ArrayList<>();
        int longest = 0;
        for (int i = 0; i < scenarios.size(); i++) {
            longest = Math.max(longest, add(events, scenarios.get(i), "web-0" + (i + 1), offset));
        }
        for (int second = 0; second <= longest + 2; second++) {
            events.add(new Ticked((START + second) * SECOND + 850_000));
        }
        events.sort(Comparator.comparingLong(RecordedEvent::atMicros));
        return events;
    }

    private static int add(List<RecordedEvent> events, Scenario scenario, String node, int offset) {
        String service = node + ":80";
        String kind = scenario.kind() == null ? "apache" : scenario.kind();
        List<Setting> settings = new ArrayList<>();
        if (scenario.settings() != null) {
            scenario.settings()
                    .forEach((name, value) ->
                            settings.add(new Setting(name, value, "/etc/server.conf:1")));
        }
        add(
                events,
                node,
                START * SECOND + 100_000,
                new ServiceSighting(
                        service,
                        node,
                        kind + " :80",
                        kind,
                        null,
                        List.of(),
                        new ServiceSighting.ServerProcess(100L, null),
                        settings,
                        START * SECOND));
        AgentPace pace = AgentPace.from(offset);
        int second = 0;
        for (Scenario.Phase phase : scenario.phases()) {
            for (int at = 0; at < phase.seconds(); at++, second++) {
                long now = START + second;
                long arrival = (now + 1) * SECOND + 350_000;
                Map<String, Double> packets = values(phase.packets(), at, phase);
                if (packets != null) {
                    add(events, node, arrival, Told.packets(service, now, packets));
                }
                Map<String, Double> proxy = values(phase.proxy(), at, phase);
                if (proxy != null) {
                    add(events, node, arrival, Told.proxy(service, now, proxy));
                }
                Map<String, Double> sample =
                        pace.second(second, packets, values(phase.host(), at, phase));
                if (sample != null) {
                    add(
                            events,
                            node,
                            (now + 2) * SECOND + 200_000,
                            Told.host(node, service, now + 1, sample));
                }
            }
        }
        return second;
    }

    private static @Nullable Map<String, Double> values(
            @Nullable Map<String, String> written, int at, Scenario.Phase phase) {
        return written == null ? null : Scenario.values(written, at, phase.seconds());
    }

    private static void add(
            List<RecordedEvent> events, String node, long arrival, TelemetryRecord record) {
        BatchId id = new BatchId("agent@" + node, 1, events.size() + 1);
        events.add(new Accepted(arrival, false, new Batch(id, List.of(record))));
    }
}
