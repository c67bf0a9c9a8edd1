package dev.komainu.central.api.alert;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.alert.Versioned;
import dev.komainu.central.alert.VersionedTable;
import dev.komainu.central.alert.notify.DeliveryOutcome;
import dev.komainu.central.alert.notify.DeliveryTable;
import dev.komainu.central.alert.notify.NoticeDispatcher;
import dev.komainu.central.alert.notify.Receiver;
import dev.komainu.central.alert.notify.Receivers;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.ProblemException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * The receivers of notices, and their deliveries. No response contains a password, a key or the
 * full address of a webhook.
 */
@RestController
class ReceiverController {

    private static final String WHAT = "receiver";

    private final Receivers receivers;
    private final DeliveryTable deliveries;
    private final NoticeDispatcher dispatcher;
    private final Audit audit;

    ReceiverController(
            Receivers receivers,
            DeliveryTable deliveries,
            NoticeDispatcher dispatcher,
            Audit audit) {
        this.receivers = receivers;
        this.deliveries = deliveries;
        this.dispatcher = dispatcher;
        this.audit = audit;
    }

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record MailView(
            String host,
            int port,
            Receiver.Security security,
            @Nullable String user,
            boolean passwordSet,
            String from,
            List<String> to) {}

    /**
     * {@code Receiver} of the contract.
     *
     * @param url address of a webhook: scheme and host only
     * @param secretUnreadable whether a stored secret must be entered again
     * @param waiting number of notices that wait for delivery
     * @param dropped number of notices dropped because the queue was full
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record ReceiverView(
            String id,
            long version,
            String name,
            Receiver.Type type,
            String language,
            boolean enabled,
            @Nullable MailView mail,
            @Nullable String url,
            boolean secretSet,
            boolean secretUnreadable,
            int waiting,
            long dropped,
            DeliveryTable.@Nullable Attempt lastAttempt) {}

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record DeliveryView(
            String id,
            String tell,
            String subject,
            String status,
            Instant createdAt,
            @Nullable Instant nextAt,
            @Nullable Instant finishedAt,
            @Nullable String outcome,
            List<DeliveryTable.Attempt> attempts) {

        static DeliveryView of(DeliveryTable.Row row) {
            return new DeliveryView(
                    row.id(),
                    row.tell(),
                    row.subject(),
                    row.status(),
                    row.createdAt(),
                    row.nextAt(),
                    row.finishedAt(),
                    row.outcome(),
                    row.attempts());
        }
    }

    record TestResult(boolean delivered, String outcome) {}

    @GetMapping("/api/v1/receivers")
    List<ReceiverView> list() {
        return receivers.all().stream().map(this::view).toList();
    }

    @PostMapping("/api/v1/receivers")
    ResponseEntity<ReceiverView> create(
            @AuthenticationPrincipal Caller caller,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key,
            @RequestBody ReceiverRequest request) {
        new BodyChecks().optionalText("Idempotency-Key", key, 128).orRefuse();
        return switch (receivers.create(request.checked(null), caller.name(), key)) {
            case VersionedTable.Created.Fresh<Receiver> fresh -> {
                audit.done(
                        caller,
                        "receiver.create",
                        fresh.item().id(),
                        null,
                        String.valueOf(fresh.item().body()));
                yield Revision.tagged(201, fresh.item(), view(fresh.item()));
            }
            case VersionedTable.Created.Repeated<Receiver> repeated ->
                Revision.tagged(201, repeated.item(), view(repeated.item()));
            case VersionedTable.Created.KeyReused<Receiver> reused -> throw Revision.keyReused(key);
        };
    }

    @PutMapping("/api/v1/receivers/{id}")
    ResponseEntity<ReceiverView> replace(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String id,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
            @RequestBody ReceiverRequest request) {
        Versioned<Receiver> before = require(id);
        long version = Revision.ifMatch(ifMatch, WHAT, id);
        Versioned<Receiver> after = receivers
                .replace(id, version, request.checked(before.body()))
                .orElseThrow(() -> Revision.changed(WHAT, id));
        dispatcher.edited(id);
        audit.done(
                caller,
                "receiver.change",
                id,
                String.valueOf(before.body()),
                String.valueOf(after.body()));
        return Revision.tagged(200, after, view(after));
    }

    @DeleteMapping("/api/v1/receivers/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void delete(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
        receivers.delete(id).ifPresent(before -> {
            dispatcher.removed(id);
            audit.done(caller, "receiver.delete", id, String.valueOf(before.body()), null);
        });
    }

    /**
     * Sends a test notice and returns its outcome. Blocks until the receiver responds or a timeout.
     */
    @PostMapping("/api/v1/receivers/{id}/test")
    TestResult test(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
        DeliveryOutcome outcome = dispatcher.test(require(id));
        audit.done(caller, "receiver.test", id, null, outcome.text());
        return new TestResult(outcome.delivered(), outcome.text());
    }

    @GetMapping("/api/v1/receivers/{id}/deliveries")
    Page<DeliveryView> deliveries(
            @PathVariable String id,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        require(id);
        int most = Cursor.limit(limit);
        List<DeliveryTable.Row> rows =
                deliveries.list(id, Cursor.decodeNumber(cursor, Long.MAX_VALUE), most + 1);
        return Page.of(rows, most, row -> Long.toString(row.position())).map(DeliveryView::of);
    }

    private Versioned<Receiver> require(String id) {
        return receivers.find(id).orElseThrow(ProblemException.notFound(WHAT, id));
    }

    private ReceiverView view(Versioned<Receiver> versioned) {
        Receiver receiver = versioned.body();
        Receiver.Mail mail = receiver.mail();
        Receiver.Hook hook = receiver.hook();
        return new ReceiverView(
                versioned.id(),
                versioned.version(),
                receiver.name(),
                receiver.type(),
                receiver.language(),
                receiver.enabled(),
                mail == null
                        ? null
                        : new MailView(
                                mail.host(),
                                mail.port(),
                                mail.security(),
                                mail.user(),
                                mail.password() != null,
                                mail.from(),
                                mail.to()),
                hook == null ? null : hook.place(),
                hook != null && hook.secret() != null,
                receiver.isUnreadable(),
                dispatcher.waiting(versioned.id()),
                deliveries.dropped(versioned.id()),
                deliveries.lastAttempt(versioned.id()));
    }
}
