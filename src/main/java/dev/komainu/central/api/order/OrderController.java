package dev.komainu.central.api.order;

import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.guard.GroupGuard;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.api.page.RowId;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.change.Change;
import dev.komainu.central.order.OrderKeys;
import dev.komainu.central.order.OrderRecord;
import dev.komainu.central.order.Orders;
import dev.komainu.telemetry.record.Order;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The orders: changes of servers that agents execute. */
@RestController
class OrderController {

    private final Orders orders;
    private final OrderKeys keys;
    private final Assessor assessor;
    private final Audit audit;
    private final GroupGuard guard;

    OrderController(
            Orders orders, OrderKeys keys, Assessor assessor, Audit audit, GroupGuard guard) {
        this.orders = orders;
        this.keys = keys;
        this.assessor = assessor;
        this.audit = audit;
        this.guard = guard;
    }

    /**
     * The body of a request for an order.
     *
     * @param companions values of the same file that change together with it
     * @param confirmed the user has read the order's effect and confirms it
     */
    record OrderRequest(
            @Nullable String service,
            @Nullable String setting,
            @Nullable String before,
            @Nullable String after,
            @Nullable String title,
            @Nullable String adviceId,
            @Nullable String diagnosisId,
            @Nullable String note,
            @Nullable List<CompanionRequest> companions,
            @Nullable Boolean confirmed) {

        private static final int MOST_COMPANIONS = 4;

        /**
         * Returns the checked change.
         *
         * @throws ProblemException naming every field that is wrong
         */
        Change.Wish checked(Assessor assessor) {
            BodyChecks checks = new BodyChecks()
                    .text("service", service, 300)
                    .text("setting", setting, 120)
                    .text("before", before, 64)
                    .text("after", after, 64)
                    .optionalText("title", title, 200)
                    .optionalText("adviceId", adviceId, 200)
                    .optionalText("diagnosisId", diagnosisId, 64)
                    .optionalText("note", note, 2000)
                    .that(
                            Boolean.TRUE.equals(confirmed),
                            "confirmed",
                            confirmed,
                            "true: this changes a server")
                    .that(
                            after == null || !after.equals(before),
                            "after",
                            after,
                            "a value other than before")
                    .that(
                            companions == null || companions.size() <= MOST_COMPANIONS,
                            "companions",
                            companions == null ? 0 : companions.size(),
                            "at most " + MOST_COMPANIONS);
            if (companions != null) {
                companions.forEach(
                        companion -> checks.text("companions.setting", companion.setting(), 120)
                                .text("companions.before", companion.before(), 64)
                                .text("companions.after", companion.after(), 64));
            }
            checks.orRefuse();
            return new Change.Wish(
                    assessor.canonical(Objects.requireNonNull(service)),
                    title == null ? setting + ": " + before + " → " + after : title,
                    Objects.requireNonNull(setting),
                    before,
                    after,
                    adviceId,
                    diagnosisId,
                    note);
        }
    }

    /** Another value of the same file that changes together with the order's own. */
    record CompanionRequest(
            @Nullable String setting,
            @Nullable String before,
            @Nullable String after) {

        Order.Companion checked() {
            return new Order.Companion(
                    Objects.requireNonNull(setting),
                    Objects.requireNonNull(before),
                    Objects.requireNonNull(after));
        }
    }

    record RollbackRequest(@Nullable Boolean confirmed) {}

    record OrderKeyView(String key, String command) {}

    @GetMapping("/api/v1/order-key")
    OrderKeyView key() {
        return new OrderKeyView(
                keys.publicText(),
                "sudo ./komainu agent --central URL --token-file FILE --allow-changes "
                        + keys.publicText());
    }

    @GetMapping("/api/v1/services/{service}/order-prospect")
    OrderView.ProspectView prospect(
            @PathVariable String service,
            @RequestParam String setting,
            @RequestParam(required = false) @Nullable String before,
            @RequestParam(defaultValue = "") List<String> companion) {
        BodyChecks checks =
                new BodyChecks().text("setting", setting, 120).optionalText("before", before, 64);
        companion.forEach(name -> checks.text("companion", name, 120));
        checks.orRefuse();
        return OrderView.ProspectView.of(orders.prospect(
                assessor.canonical(service),
                new Orders.Target(setting, before),
                companion.stream().map(name -> new Orders.Target(name, null)).toList()));
    }

    @GetMapping("/api/v1/orders")
    Page<OrderView> list(
            @RequestParam(required = false) @Nullable String service,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        List<OrderRecord> rows = orders.list(
                service == null ? null : assessor.canonical(service),
                Cursor.decodeNumber(cursor, Long.MAX_VALUE),
                Cursor.limit(limit) + 1);
        return Page.of(rows, limit, order -> Long.toString(order.id())).map(OrderView::of);
    }

    @GetMapping("/api/v1/orders/{id}")
    OrderView order(@PathVariable String id) {
        return OrderView.of(find(id));
    }

    @PostMapping("/api/v1/orders")
    ResponseEntity<OrderView> give(
            @AuthenticationPrincipal Caller caller,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key,
            @RequestBody OrderRequest request) {
        new BodyChecks().optionalText("Idempotency-Key", key, 128).orRefuse();
        Change.Wish wish = request.checked(assessor);
        List<Order.Companion> companions = request.companions() == null
                ? List.of()
                : request.companions().stream().map(CompanionRequest::checked).toList();
        guard.requireChange(caller, wish.service(), settings(wish, companions));
        return answer(caller, "order.give", key, orders.give(wish, companions, caller.name(), key));
    }

    @PostMapping("/api/v1/orders/{id}/rollback")
    ResponseEntity<OrderView> rollback(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String id,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key,
            @RequestBody RollbackRequest request) {
        new BodyChecks()
                .optionalText("Idempotency-Key", key, 128)
                .that(
                        Boolean.TRUE.equals(request.confirmed()),
                        "confirmed",
                        request.confirmed(),
                        "true: this changes a server")
                .orRefuse();
        OrderRecord done = find(id);
        guard.requireChange(
                caller, done.wish().service(), settings(done.wish(), done.companions()));
        if (!done.canBeUndone()) {
            throw new ProblemException(Problem.conflict(
                    "not-undoable",
                    "order: " + id + " is " + done.state().label()
                            + " (expected: an order that was done)"));
        }
        return answer(caller, "order.rollback", key, orders.undo(done, caller.name(), key));
    }

    private static List<String> settings(Change.Wish wish, List<Order.Companion> companions) {
        return Stream.concat(
                        Stream.of(String.valueOf(wish.setting())),
                        companions.stream().map(Order.Companion::setting))
                .toList();
    }

    private ResponseEntity<OrderView> answer(
            Caller caller, String action, @Nullable String key, Orders.Outcome outcome) {
        return switch (outcome) {
            case Orders.Outcome.Given given -> {
                OrderRecord order = given.order();
                audit.done(
                        caller,
                        action,
                        order.wish().service() + " "
                                + all(order, order.wish().setting(), Order.Companion::setting),
                        all(order, order.wish().before(), Order.Companion::expected),
                        all(order, order.wish().after(), Order.Companion::wanted));
                yield created(order);
            }
            case Orders.Outcome.Repeated repeated -> created(repeated.order());
            case Orders.Outcome.KeyReused reused ->
                throw new ProblemException(Problem.of(
                        422,
                        "idempotency-key-reused",
                        "The Idempotency-Key was used before with another body",
                        "Idempotency-Key: " + key + " (expected: a new key for each order)"));
            case Orders.Outcome.Impossible impossible ->
                throw new ProblemException(problem(impossible.prospect()));
        };
    }

    /** Returns a part of the order's own value and of its companions, separated by commas. */
    private static String all(
            OrderRecord order, @Nullable String own, Function<Order.Companion, String> part) {
        return Stream.concat(
                        Stream.of(String.valueOf(own)),
                        order.companions().stream().map(part))
                .collect(Collectors.joining(", "));
    }

    private static ResponseEntity<OrderView> created(OrderRecord order) {
        return ResponseEntity.created(URI.create("/api/v1/orders/" + order.id()))
                .body(OrderView.of(order));
    }

    private Problem problem(Orders.Prospect prospect) {
        String obstacle = String.valueOf(prospect.obstacle());
        String detail = switch (obstacle) {
            case "unknown-service" -> prospect.service() + ": unknown service";
            case "no-agent" -> prospect.service() + ": no agent reports from its host";
            case "not-allowed" ->
                prospect.source()
                        + ": accepts no orders (expected: an agent started with --allow-changes)";
            case "other-key" ->
                prospect.source()
                        + ": accepts only orders signed with a key other than this service's";
            case "older-epoch" ->
                prospect.source() + ": has accepted an order of the epoch "
                        + prospect.newestEpoch() + ", this service's epoch is " + orders.epoch()
                        + " (expected: at least " + prospect.newestEpoch()
                        + "; komainu.orders.epoch-offset)";
            case "no-place" -> prospect.setting() + ": agents do not change settings of this kind";
            case "unknown-setting" ->
                prospect.setting() + ": its agent does not report this setting";
            case "drift" ->
                prospect.setting() + ": is " + prospect.current() + " now (" + prospect.place()
                        + ")";
            default ->
                prospect.service() + ": another order is open (expected: one change at a time)";
        };
        return Problem.conflict(obstacle, detail);
    }

    private OrderRecord find(String id) {
        return orders.find(RowId.of("order", id))
                .orElseThrow(ProblemException.notFound("order", id));
    }
}
