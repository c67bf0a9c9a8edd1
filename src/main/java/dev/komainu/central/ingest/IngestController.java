package dev.komainu.central.ingest;

import dev.komainu.central.identity.PeerRevocations;
import dev.komainu.central.ingest.RefusedBatchException.Reason;
import dev.komainu.central.limit.BytesExhaustedException;
import dev.komainu.central.limit.BytesInHand;
import dev.komainu.central.room.RoomWatch;
import dev.komainu.central.store.RecordStore;
import dev.komainu.telemetry.wire.DecodedBatch;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The endpoint for batches, one a request; it responds after the batch is committed. */
@RestController
class IngestController {

    /**
     * Header with this service's name. A source that receives another name than before reports its
     * permanent facts again, because the store may be a new one.
     */
    private static final String CENTRAL_HEADER = "Komainu-Centre";

    private final String thisRun = UUID.randomUUID().toString();
    private final IngestSettings settings;
    private final BatchReader reader;
    private final IngestCounters counters;
    private final Ingest ingest;
    private final Semaphore decoders;
    private final DecodingThreads decoding = new DecodingThreads();
    private final BytesInHand budget;
    private final SourceClocks clocks;

    IngestController(
            IngestSettings settings,
            RecordStore store,
            ObjectProvider<BatchAdmission> admissions,
            ObjectProvider<BatchListener> listeners,
            ObjectProvider<OrderSource> orders,
            ObjectProvider<JudgementSource> judgements,
            ObjectProvider<DetailSource> details,
            PeerRevocations revocations,
            MeterRegistry registry,
            BytesInHand budget,
            ForeignReports foreign,
            SourceCredentials credentials,
            SourceClocks clocks,
            RoomWatch room,
            Clock clock) {
        this.clocks = clocks;
        this.budget = budget;
        this.settings = settings;
        this.reader = new BatchReader(settings, clock);
        this.counters = new IngestCounters(registry);
        List<OrderSource> givers = orders.orderedStream().toList();
        this.ingest = new Ingest(
                store,
                new OwnReports(foreign, givers, registry, clock),
                credentials,
                admissions.orderedStream().toList(),
                listeners.orderedStream().toList(),
                givers,
                judgements.orderedStream().toList(),
                details.orderedStream().toList(),
                revocations,
                counters,
                settings.maxBacklog(),
                room);
        this.decoders = new Semaphore(settings.decoders(), true);
    }

    @PostMapping("/api/v1/ingest")
    ResponseEntity<?> ingest(HttpServletRequest request) throws IOException, InterruptedException {
        try {
            Receipt receipt = receive(request, Sender.of(request.getUserPrincipal()));
            return ResponseEntity.ok().header(CENTRAL_HEADER, thisRun).body(receipt);
        } catch (RefusedBatchException e) {
            counters.outcome(e.reason().name().toLowerCase(Locale.ROOT));
            return problem(e, request.getRequestURI());
        }
    }

    private Receipt receive(HttpServletRequest request, Sender sender)
            throws IOException, InterruptedException, RefusedBatchException {
        String type = request.getContentType();
        String encoding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
        Duration ahead = clocks.ahead(request.getHeader(HttpHeaders.DATE));
        reader.checkHead(type, encoding, request.getContentLengthLong());
        ingest.admit();
        try (BytesInHand.Holding holding = budget.open(false)) {
            BodyPieces body = reader.readBody(
                    request.getInputStream(), request.getContentLengthLong(), holding);
            DecodedBatch decoded =
                    decode(body, type, encoding, request.getHeader("Komainu-Batch"), holding);
            Receipt receipt = ingest.store(decoded, sender);
            clocks.tell(decoded.batch().id().source(), ahead);
            return receipt;
        } catch (BytesExhaustedException e) {
            throw e.permanent()
                    ? new RefusedBatchException(Reason.TOO_LARGE, e.getMessage(), null)
                    : new RefusedBatchException(Reason.BUSY, e.getMessage(), Duration.ofSeconds(2));
        }
    }

    /**
     * Waits for one of the decoders only with a complete body: a slow sender holds none. The
     * decoder is free again before the batch is stored: waiting for the disk needs none, and the
     * memory of the batch is counted in {@code holding} until then.
     */
    private DecodedBatch decode(
            BodyPieces body,
            @Nullable String type,
            @Nullable String encoding,
            @Nullable String name,
            BytesInHand.Holding holding)
            throws InterruptedException, RefusedBatchException {
        if (!decoders.tryAcquire(settings.maxBacklog().toMillis(), TimeUnit.MILLISECONDS)) {
            throw new RefusedBatchException(
                    Reason.BUSY,
                    "decoders: " + settings.decoders() + " (all in use)",
                    Duration.ofSeconds(1));
        }
        try {
            return decoding.run(() -> reader.decode(body, type, encoding, name, holding::take));
        } finally {
            decoders.release();
        }
    }

    @PreDestroy
    void close() {
        decoding.close();
    }

    private static ResponseEntity<ProblemDetail> problem(
            RefusedBatchException refused, String path) {
        Reason reason = refused.reason();
        ProblemDetail problem = ProblemDetail.forStatus(reason.status());
        problem.setType(URI.create("urn:komainu:problem:" + reason.type()));
        problem.setTitle(reason.title());
        problem.setDetail(refused.getMessage());
        problem.setInstance(URI.create(path));
        ResponseEntity.BodyBuilder response = ResponseEntity.status(reason.status())
                .contentType(MediaType.APPLICATION_PROBLEM_JSON);
        Duration retryAfter = refused.retryAfter();
        if (retryAfter != null) {
            response.header(HttpHeaders.RETRY_AFTER, Long.toString(retryAfter.toSeconds()));
        }
        return response.body(problem);
    }
}
