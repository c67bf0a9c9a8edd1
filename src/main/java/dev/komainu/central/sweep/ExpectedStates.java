package dev.komainu.central.sweep;

import dev.komainu.central.state.ServiceState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The faults of a recording, from the file {@code RECORDING.json} beside it.
 *
 * <pre>
 * { "services": { "web-01:8081": [
 *     { "onset": 1795687200.5, "cure": 1795687262.1, "expected": "saturated/cpu", "alternatives": ["saturated/memory"] } ] } }
 * </pre>
 *
 * @param services the faults of each service in order of time, by canonical id. Other services of
 *     the recording are not judged
 */
record ExpectedStates(Map<String, List<Fault>> services) {

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
            .build();

    /**
     * A fault, or a trap that must stay normal.
     *
     * @param onset seconds since the epoch
     * @param cure seconds since the epoch; absent: the end of the recording
     * @param expected label of the state that names the cause
     * @param alternatives labels of other states that are right, too
     */
    record Fault(
            double onset,
            @Nullable Double cure,
            String expected,
            @Nullable List<String> alternatives) {

        boolean isTrap() {
            return expected.equals(ServiceState.NORMAL.label());
        }

        boolean accepts(ServiceState state) {
            return state.label().equals(expected)
                    || (alternatives != null && alternatives.contains(state.label()));
        }
    }

    /** Returns the path of the file beside a recording. */
    static Path beside(Path recording) {
        Path full = recording.toAbsolutePath().normalize();
        return full.resolveSibling(full.getFileName() + ".json");
    }

    /**
     * Reads the file beside a recording; null when there is none: the traffic is normal.
     *
     * @throws IOException naming the file and its mistake
     */
    static @Nullable ExpectedStates of(Path recording) throws IOException {
        Path file = beside(recording);
        if (!Files.exists(file)) {
            return null;
        }
        try {
            ExpectedStates read = JSON.readValue(Files.readAllBytes(file), ExpectedStates.class);
            Set<String> labels = new HashSet<>();
            read.services()
                    .values()
                    .forEach(faults -> faults.forEach(fault -> {
                        labels.add(fault.expected());
                        if (fault.alternatives() != null) {
                            labels.addAll(fault.alternatives());
                        }
                    }));
            labels.forEach(ServiceState::ofLabel);
            return read;
        } catch (JacksonException | IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }
}
