package dev.komainu.central.ingest;

import dev.komainu.central.access.IdentityConcerns;
import dev.komainu.central.access.IdentityConcerns.Concern;
import dev.komainu.telemetry.record.BatchId;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The credentials with which sources sent their newest batches since the start, and the sources as
 * which two processes send in turn. Any thread.
 */
@Component
public final class SourceCredentials {

    /** Sources with an entry; the one that sent nothing for the longest time gives way. */
    private static final int MOST = 5_000;

    /** The kind of a credential. */
    public enum Credential {
        CERTIFICATE,
        /** A token that is bound to its source. */
        TOKEN,
        /** A token of an earlier version, with which every source can report. */
        SHARED_TOKEN;

        /** Returns the name in responses. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** A run as the batches show it: the start of its run, and its address. */
    private record Run(long epoch, @Nullable String address) {}

    private record Sent(
            @Nullable Credential credential,
            Run last,
            @Nullable Run before) {}

    private final IdentityConcerns concerns;
    private final Clock clock;
    private final Map<String, Sent> entries = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Sent> eldest) {
            return size() > MOST;
        }
    };

    public SourceCredentials(IdentityConcerns concerns, Clock clock) {
        this.concerns = concerns;
        this.clock = clock;
    }

    /**
     * Notes a stored batch. A restarted process never sends with its former start again, except
     * records that it kept, and those from the same address: so two starts from two addresses in
     * turn are two processes.
     */
    void note(BatchId batch, Sender sender) {
        Run now = new Run(batch.epoch(), sender.address());
        boolean inTurn;
        Run other = null;
        synchronized (entries) {
            Sent known = entries.get(batch.source());
            if (known == null || known.last().equals(now)) {
                entries.put(
                        batch.source(),
                        new Sent(sender.kind(), now, known == null ? null : known.before()));
                return;
            }
            other = known.last();
            inTurn = now.equals(known.before())
                    && other.epoch() != now.epoch()
                    && !String.valueOf(other.address()).equals(now.address());
            entries.put(batch.source(), new Sent(sender.kind(), now, other));
        }
        if (inTurn) {
            concerns.tell(
                    batch.source(),
                    Concern.TWO_SPEAK_AS_ONE,
                    "two processes send in turn, from " + other.address() + " and " + now.address(),
                    clock.instant());
        }
    }

    /** Returns the credential of a source's newest batch; empty: none since the start. */
    public Optional<Credential> of(String source) {
        synchronized (entries) {
            Sent entry = entries.get(source);
            return entry == null ? Optional.empty() : Optional.ofNullable(entry.credential());
        }
    }

    /** Returns the sources whose newest batch came with a credential of this kind. */
    public List<String> sources(Credential credential) {
        synchronized (entries) {
            return entries.entrySet().stream()
                    .filter(entry -> entry.getValue().credential() == credential)
                    .map(Map.Entry::getKey)
                    .sorted()
                    .toList();
        }
    }

    /** Returns the number of sources whose newest batch came with a credential of this kind. */
    public int count(Credential credential) {
        synchronized (entries) {
            return (int) entries.values().stream()
                    .filter(entry -> entry.credential() == credential)
                    .count();
        }
    }
}
