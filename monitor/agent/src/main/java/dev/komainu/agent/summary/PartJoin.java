package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.ConnectionParts;
import dev.komainu.telemetry.record.WindowParts;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Join of the connections that several threads saw in one window of a service. Each connection is
 * seen by one thread.
 */
final class PartJoin {

    private PartJoin() {}

    /**
     * Returns the connections of all threads; null when some thread did not record them.
     *
     * @param shares one for each thread that has a window of the service
     */
    static @Nullable WindowParts of(List<@Nullable WindowParts> shares) {
        List<WindowParts> all = shares.stream().filter(Objects::nonNull).toList();
        if (all.isEmpty() || all.size() < shares.size()) {
            return null;
        }
        WindowParts first = all.getFirst();
        if (all.size() == 1) {
            return first;
        }
        long connections = all.stream().mapToLong(WindowParts::connections).sum();
        boolean isSample =
                connections > ConnectionParts.MOST || all.stream().anyMatch(WindowParts::isSample);
        return new WindowParts(
                first.service(),
                first.fromMicros(),
                first.lengthMicros(),
                connections,
                isSample
                        ? sampled(all)
                        : ConnectionParts.together(
                                all.stream().map(WindowParts::parts).toList()));
    }

    private static ConnectionParts sampled(List<WindowParts> all) {
        KeySample sample = new KeySample();
        all.forEach(parts -> Arrays.stream(parts.parts().keys()).forEach(sample::add));
        return sample.parts();
    }
}
