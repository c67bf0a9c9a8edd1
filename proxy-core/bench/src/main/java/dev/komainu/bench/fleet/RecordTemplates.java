package dev.komainu.bench.fleet;

import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Records of one agent, made from records that a real agent reported: names, times, counts and
 * distributions differ. One thread.
 */
final class RecordTemplates {

    private static final long SECOND = 1_000_000;
    private static final int WINDOWS = 40;
    private static final String[] DISTRIBUTIONS = {
        "response", "transfer", "connection", "serverRtt", "clientRtt", "acknowledgement", "think"
    };

    private final JsonMapper json = JsonMapper.builder().build();
    private final Random random;
    private final Histogram recorder = Distribution.newRecorder();
    private final List<ServiceWindow> windows = new ArrayList<>();
    private final ObjectNode window = read("serviceWindow");
    private final ObjectNode sample = read("hostSample");
    private final ObjectNode status = read("sourceStatus");
    private final ObjectNode log = read("accessLogWindow");
    private final ObjectNode sighting = read("serviceSighting");

    RecordTemplates(long seed) {
        random = new Random(seed);
    }

    /**
     * Returns one second of a server's packets: one of {@value #WINDOWS} that were made before, so
     * that the agents take little of the processor that the central service is measured on.
     *
     * @param changing whether it differs from the second before; otherwise it is always the same
     *     one of this server
     */
    TelemetryRecord window(String service, long second, boolean changing) {
        if (windows.isEmpty()) {
            for (int number = 0; number < WINDOWS; number++) {
                windows.add((ServiceWindow) newWindow());
            }
        }
        ServiceWindow made = windows.get(
                changing ? random.nextInt(WINDOWS) : Math.floorMod(service.hashCode(), WINDOWS));
        return new ServiceWindow(
                service,
                second * SECOND,
                made.lengthMicros(),
                made.connections(),
                made.exchanges(),
                made.concurrency(),
                made.packets(),
                made.times(),
                made.failures(),
                made.clientPaths());
    }

    private TelemetryRecord newWindow() {
        int requests = 5 + random.nextInt(40);
        for (String count : new String[] {"arrivals", "ended", "requests", "responses"}) {
            window.put(count, requests);
        }
        // One error a second of the template is 20 % of five requests: an incident of its own.
        window.put("errors", 0);
        window.put("concurrentMean", random.nextDouble(8));
        for (String name : DISTRIBUTIONS) {
            recorder.reset();
            for (int i = 0; i < requests; i++) {
                Distribution.record(recorder, (long) Math.exp(6 + random.nextGaussian() * 1.5));
            }
            window.put(
                    name + "Histogram",
                    Base64.getEncoder().encodeToString(Distribution.of(recorder).encoded()));
        }
        return record(window);
    }

    /**
     * Returns ten seconds of a host with these servers.
     *
     * @param changing the servers whose use of the processor differs from the time before
     */
    TelemetryRecord sample(
            String node, Iterable<String> services, Predicate<String> changing, long atMicros) {
        sample.put("node", node)
                .put("atMicros", atMicros)
                .put("intervalMicros", 10 * SECOND)
                .put("load1", random.nextDouble(2));
        ArrayNode servers = (ArrayNode) sample.get("servers");
        ObjectNode one = (ObjectNode) servers.get(0);
        servers.removeAll();
        for (String service : services) {
            double cores = changing.test(service) ? random.nextDouble() : 0.5;
            servers.add(one.deepCopy().put("service", service).put("cpuCores", cores));
        }
        return record(sample);
    }

    TelemetryRecord status(String node, long startedMicros, long atMicros) {
        status.put("node", node).put("startedMicros", startedMicros).put("atMicros", atMicros);
        return record(status);
    }

    /** Returns ten seconds of a server's access log. */
    TelemetryRecord log(String service, long fromMicros) {
        log.put("service", service).put("fromMicros", fromMicros);
        return record(log);
    }

    TelemetryRecord sighting(String service, String node, String address, long atMicros) {
        sighting.put("service", service).put("node", node).put("atMicros", atMicros);
        ArrayNode addresses = (ArrayNode) sighting.get("addresses");
        addresses.removeAll();
        addresses.add(address);
        return record(sighting);
    }

    private TelemetryRecord record(ObjectNode node) {
        try {
            return RecordJson.read(json.writeValueAsString(node), 1);
        } catch (MalformedBatchException e) {
            throw new IllegalStateException(e);
        }
    }

    private ObjectNode read(String type) {
        try (InputStream in =
                RecordTemplates.class.getResourceAsStream("/fleet/" + type + ".json")) {
            if (in == null) {
                throw new IllegalStateException(
                        "/fleet/" + type + ".json is not on the class path");
            }
            return (ObjectNode) json.readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
