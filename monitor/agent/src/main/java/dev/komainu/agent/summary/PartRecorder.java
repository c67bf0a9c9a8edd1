package dev.komainu.agent.summary;

import dev.komainu.agent.connection.ConnectionKeys;
import dev.komainu.telemetry.record.ConnectionParts;
import dev.komainu.telemetry.record.WindowParts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recorder of the current window of one service by connection. A window with more than
 * {@link ConnectionParts#MOST} connections is recorded as a sample of their keys; the next window
 * begins again with the connections that are open then.
 *
 * <p>A connection with several waiting requests when recording begins counts as one of them, until
 * these requests are answered.
 */
final class PartRecorder {

    private final ConnectionKeys keys;
    private final Map<Long, ConnectionPart> parts = new HashMap<>();
    private final KeySample sample = new KeySample();
    private boolean isSample;
    private boolean needsOpen = true;
    private long from;
    /** The part of the last event: most events follow one of the same connection. */
    private @Nullable ConnectionPart last;

    /**
     * Creates a recorder without connections; {@link #open} adds those that are open.
     *
     * @param from beginning of the current window
     */
    PartRecorder(ConnectionKeys keys, long from) {
        this.keys = keys;
        this.from = from;
    }

    /**
     * Reports whether {@link #open} must add the open connections before the first event of the
     * window that begins now: the recorder is new, or follows a sample.
     */
    boolean needsOpen() {
        return needsOpen;
    }

    /** Adds a connection that is open when the window begins. */
    void open(long key, boolean waiting) {
        ConnectionPart part = partOf(key);
        if (part != null) {
            part.openAtBegin(waiting);
        }
    }

    /** Ends the open connections. */
    void begin() {
        needsOpen = false;
    }

    /**
     * Returns the part of the connection whose event is being reported; null when the window is
     * recorded as a sample.
     */
    @Nullable
    ConnectionPart current() {
        long key = keys.current();
        ConnectionPart found = last;
        if (found == null || found.key != key) {
            found = partOf(key);
            last = found;
        }
        return found;
    }

    private @Nullable ConnectionPart partOf(long key) {
        if (isSample) {
            sample.add(key);
            return null;
        }
        ConnectionPart part = parts.get(key);
        if (part == null && parts.size() == ConnectionParts.MOST) {
            isSample = true;
            parts.keySet().forEach(sample::add);
            parts.clear();
            sample.add(key);
        } else if (part == null) {
            part = new ConnectionPart(key, from);
            parts.put(key, part);
        }
        return part;
    }

    /** Returns the parts of the window and begins the next one. */
    WindowParts take(String service, long to) {
        WindowParts taken = isSample ? takeSample(service, to) : takeParts(service, to);
        from = to;
        last = null;
        return taken;
    }

    private WindowParts takeSample(String service, long to) {
        WindowParts taken =
                new WindowParts(service, from, to - from, sample.estimate(), sample.parts());
        isSample = false;
        sample.clear();
        needsOpen = true;
        return taken;
    }

    private WindowParts takeParts(String service, long to) {
        ConnectionParts.Builder builder = new ConnectionParts.Builder();
        List<ConnectionPart> ordered = new ArrayList<>(parts.values());
        ordered.sort(
                Comparator.comparing((ConnectionPart part) -> part.key, Long::compareUnsigned));
        for (ConnectionPart part : ordered) {
            if (!part.take(to, builder)) {
                parts.remove(part.key);
            }
        }
        return new WindowParts(service, from, to - from, ordered.size(), builder.build());
    }
}
