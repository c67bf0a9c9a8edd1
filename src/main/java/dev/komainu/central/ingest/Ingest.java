package dev.komainu.central.ingest;

import dev.komainu.central.identity.PeerRevocations;
import dev.komainu.central.ingest.RefusedBatchException.Reason;
import dev.komainu.central.ingest.SourceCredentials.Credential;
import dev.komainu.central.room.RoomState;
import dev.komainu.central.room.RoomWatch;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.central.store.StoreException;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.wire.DecodedBatch;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The storage of a batch and the call of the listeners. Any thread. */
final class Ingest {

    private static final Logger LOG = LoggerFactory.getLogger(Ingest.class);

    /** Time after which a source asks whether there is room again. */
    private static final Duration FULL_RETRY = Duration.ofSeconds(5);

    private final RecordStore store;
    private final OwnReports own;
    private final SourceCredentials credentials;
    private final List<BatchAdmission> admissions;
    private final List<BatchListener> listeners;
    private final List<OrderSource> orders;
    private final List<JudgementSource> judgements;
    private final List<DetailSource> details;
    private final PeerRevocations revocations;
    private final IngestCounters counters;
    private final Duration maxBacklog;
    private final RoomWatch room;

    Ingest(
            RecordStore store,
            OwnReports own,
            SourceCredentials credentials,
            List<BatchAdmission> admissions,
            List<BatchListener> listeners,
            List<OrderSource> orders,
            List<JudgementSource> judgements,
            List<DetailSource> details,
            PeerRevocations revocations,
            IngestCounters counters,
            Duration maxBacklog,
            RoomWatch room) {
        this.store = store;
        this.own = own;
        this.credentials = credentials;
        this.admissions = List.copyOf(admissions);
        this.listeners = List.copyOf(listeners);
        this.orders = List.copyOf(orders);
        this.judgements = List.copyOf(judgements);
        this.details = List.copyOf(details);
        this.revocations = revocations;
        this.counters = counters;
        this.maxBacklog = maxBacklog;
        this.room = room;
    }

    /**
     * Refuses a batch that would wait too long, or for which there is no room, before its body is
     * read.
     */
    void admit() throws RefusedBatchException {
        RoomState full = room.refusing().orElse(null);
        if (full != null) {
            throw new RefusedBatchException(
                    Reason.DISK_FULL,
                    "disk of " + full.place() + ": " + (full.freeBytes() >> 20)
                            + " MB free (expected: " + (full.leastBytes() >> 20) + " MB)",
                    FULL_RETRY);
        }
        Duration backlog = store.backlog();
        if (backlog.compareTo(maxBacklog) > 0) {
            throw new RefusedBatchException(
                    Reason.BUSY,
                    "backlog: " + backlog.toMillis() + " ms (expected: at most "
                            + maxBacklog.toMillis() + " ms)",
                    Duration.ofSeconds(Math.clamp(backlog.toSeconds(), 1, 60)));
        }
    }

    /** Stores a batch, without the records that are not the sender's or exceed a quota. */
    Receipt store(DecodedBatch decoded, Sender sender)
            throws RefusedBatchException, InterruptedException {
        Batch batch = admitted(own.of(decoded.batch(), sender), sender.credential());
        int refused = decoded.batch().records().size() - batch.records().size();
        counters.refused(refused);
        Outcome outcome;
        try {
            outcome = store.append(batch);
        } catch (StoreException e) {
            room.request();
            throw new RefusedBatchException(Reason.STORE, e.getMessage(), Duration.ofSeconds(5));
        }
        credentials.note(batch.id(), sender);
        boolean duplicate = outcome == Outcome.DUPLICATE;
        if (duplicate) {
            counters.outcome("duplicate");
        } else {
            counters.stored(batch);
            counters.skipped(decoded);
            listeners.forEach(listener -> callListener(listener, batch));
        }
        List<String> ordersForSource = orders.stream()
                .flatMap(source -> source.ordersFor(batch.id().source()).stream())
                .toList();
        return new Receipt(
                batch.id().toString(),
                batch.records().size(),
                refused,
                duplicate,
                ordersForSource,
                judged(batch, sender),
                detailed(batch.id().source()),
                sender.kind() == Credential.CERTIFICATE
                        ? revocations.revokedPeers(batch.id().source())
                        : List.of());
    }

    private Batch admitted(Batch batch, String credential) throws RefusedBatchException {
        Batch admitted = batch;
        for (BatchAdmission admission : admissions) {
            try {
                admitted = admission.admit(admitted, credential);
            } catch (BatchAdmission.QuotaException e) {
                throw new RefusedBatchException(
                        Reason.QUOTA, e.getMessage(), Duration.ofMinutes(1));
            }
        }
        return admitted;
    }

    private Set<String> detailed(String source) {
        Set<String> all = new TreeSet<>();
        details.forEach(each -> all.addAll(each.detailedFor(source)));
        return all;
    }

    private Map<String, String> judged(Batch batch, Sender sender) {
        Map<String, String> all = new LinkedHashMap<>();
        judgements.forEach(source -> all.putAll(source.judgedFor(batch)));
        all.keySet().removeIf(server -> !sender.maySee(server));
        return all;
    }

    private void callListener(BatchListener listener, Batch batch) {
        try {
            listener.stored(batch);
        } catch (RuntimeException e) {
            counters.listenerFailed();
            LOG.error(
                    "Listener {} failed on batch {}", listener.getClass().getName(), batch.id(), e);
        }
    }
}
