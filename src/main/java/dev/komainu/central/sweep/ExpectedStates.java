package dev.komainu.central.sweep;

import com.fasterxml.jackson.annotation.JsonAlias;
import dev.komainu.central.state.ServiceState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The faults of a recording, from the file {@code RECORDING.json} beside it, or {@code drills.json}
 * in the same directory, which the drills write.
 *
 * <pre>
 * [ { "service": "web-01:8081", "expected": "saturated/cpu", "also": ["saturated/memory"],
 *     "began": 1795687140, "onset": 1795687200.5, "cure": 1795687262.1, "served": 1795687264, "ended": 1795687300 } ]
 * </pre>
 *
 * @param services the faults of each service in order of time, by canonical id. Other services of
 *     the recording are not judged
 */
record ExpectedStates(Map<String, List<Fault>> services) {

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /**
     * A fault, or a trap that must stay normal. Times are seconds since the epoch.
     *
     * @param service canonical id
     * @param expected label of the state that names the cause
     * @param also labels of other states that are right, too
     * @param began start of the service; absent: the beginning of the recording
     * @param onset start of the fault
     * @param cure end of the fault; absent: the end of the recording
     * @param served time from which visitors are served as before; absent: the cure
     * @param ended end of the service; absent: the end of the recording
     */
    record Fault(
            String service,
            String expected,
            @JsonAlias("alternatives") @Nullable List<String> also,
            @Nullable Double began,
            double onset,
            @Nullable Double cure,
            @Nullable Double served,
            @Nullable Double ended) {

        boolean isTrap() {
            return expected.equals(ServiceState.NORMAL.label());
        }

        boolean accepts(ServiceState state) {
            return state.label().equals(expected) || (also != null && also.contains(state.label()));
        }

        /** Returns the time at which visitors were served again. */
        double over() {
            return served != null ? served : cure != null ? cure : Double.MAX_VALUE;
        }

        boolean isAlive(double at) {
            return (began == null || at >= began) && (ended == null || at <= ended);
        }

        private void check() {
            ServiceState.ofLabel(expected);
            if (also != null) {
                also.forEach(ServiceState::ofLabel);
            }
        }
    }

    /** Returns the file with the faults of a recording; null when there is none. */
    static @Nullable Path beside(Path recording) {
        Path full = recording.toAbsolutePath().normalize();
        return Stream.of(full.getFileName() + ".json", "drills.json")
                .map(full::resolveSibling)
                .filter(Files::exists)
                .findFirst()
                .orElse(null);
    }

    /**
     * Reads the file beside a recording; null when there is none: the traffic is normal.
     *
     * @throws IOException naming the file and its mistake
     */
    static @Nullable ExpectedStates of(Path recording) throws IOException {
        Path file = beside(recording);
        if (file == null) {
            return null;
        }
        try {
            Map<String, List<Fault>> services = new LinkedHashMap<>();
            for (Fault fault : JSON.readValue(Files.readAllBytes(file), Fault[].class)) {
                fault.check();
                services.computeIfAbsent(fault.service(), service -> new ArrayList<>())
                        .add(fault);
            }
            services.values().forEach(faults -> faults.sort(Comparator.comparing(Fault::onset)));
            return new ExpectedStates(services);
        } catch (JacksonException | IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }
}
