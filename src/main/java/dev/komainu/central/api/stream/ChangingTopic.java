package dev.komainu.central.api.stream;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A topic whose subscribers get the whole content once and then only changes. Keeps as many bytes
 * of changes as the whole content has: beyond that the whole content is the shorter answer to a
 * returning subscriber. Guarded by the hub's lock.
 */
final class ChangingTopic {

    /** Bytes of changes that are always kept: some minutes of a small content. */
    private static final int LEAST_KEPT = 64 << 10;

    private final Deque<Change> changes = new ArrayDeque<>();
    private long bytes;
    private long discarded;
    private String discardedVersion = "";
    private Whole whole;

    ChangingTopic(Whole whole) {
        this.whole = whole;
        this.discarded = whole.number;
        this.discardedVersion = whole.version;
    }

    private record Change(String version, StreamEvent event) {}

    /** The whole content as of one version, encoded when it is first needed. Thread-safe. */
    static final class Whole {
        private final long number;
        private final String version;
        private final Supplier<StreamEvent> encode;
        private @Nullable StreamEvent event;

        Whole(long number, String version, Supplier<StreamEvent> encode) {
            this.number = number;
            this.version = version;
            this.encode = encode;
        }

        synchronized StreamEvent event() {
            StreamEvent encoded = event;
            if (encoded == null) {
                encoded = encode.get();
                event = encoded;
            }
            return encoded;
        }
    }

    Whole whole() {
        return whole;
    }

    void add(StreamEvent change, Whole newWhole) {
        changes.addLast(new Change(newWhole.version, change));
        bytes += change.frame().length;
        whole = newWhole;
    }

    /** Discards the oldest changes beyond a size. */
    void keep(int wholeBytes) {
        while (bytes > Math.max(LEAST_KEPT, wholeBytes)) {
            Change oldest = changes.removeFirst();
            bytes -= oldest.event.frame().length;
            discarded = oldest.event.number();
            discardedVersion = oldest.version;
        }
    }

    /** Returns the events after a number; the whole content when a change among them is gone. */
    List<StreamEvent> after(long received) {
        if (received < discarded || received > whole.number) {
            return List.of(whole.event());
        }
        return changes.stream()
                .map(Change::event)
                .filter(event -> event.number() > received)
                .toList();
    }

    /** Returns the events after a version; the whole content when the version is not known. */
    List<StreamEvent> after(@Nullable String version) {
        if (discardedVersion.equals(version)) {
            return after(discarded);
        }
        return changes.stream()
                .filter(change -> change.version.equals(version))
                .findFirst()
                .map(change -> after(change.event.number()))
                .orElseGet(() -> List.of(whole.event()));
    }
}
