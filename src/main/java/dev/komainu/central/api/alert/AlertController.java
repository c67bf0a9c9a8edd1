package dev.komainu.central.api.alert;

import dev.komainu.central.alert.AlertBoard;
import dev.komainu.central.alert.AlertTable;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.assessment.Assessor;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The firing and the ended alerts. */
@RestController
class AlertController {

    /** Items of a page of ended alerts without a limit. */
    private static final int USUAL = 100;

    private final AlertBoard board;
    private final AlertTable table;
    private final Assessor assessor;

    AlertController(AlertBoard board, AlertTable table, Assessor assessor) {
        this.board = board;
        this.table = table;
        this.assessor = assessor;
    }

    /** Returns the firing alerts, all of them without a limit, or a page of ended alerts. */
    @GetMapping("/api/v1/alerts")
    Page<AlertView> alerts(
            @RequestParam(defaultValue = "firing") String status,
            @RequestParam(required = false) @Nullable String service,
            @RequestParam(required = false) @Nullable Integer limit,
            @RequestParam(required = false) @Nullable String cursor) {
        new BodyChecks()
                .that(
                        Set.of("firing", "ended").contains(status),
                        "status",
                        status,
                        "firing or ended")
                .orRefuse();
        String subject = service == null ? null : assessor.canonical(service);
        int most = Cursor.limit(limit == null ? USUAL : limit);
        if (status.equals("firing")) {
            return Page.sliceIfAsked(
                    board.firing().stream()
                            .filter(alert -> subject == null || subject.equals(alert.subject()))
                            .map(AlertView::of)
                            .toList(),
                    limit,
                    cursor);
        }
        List<AlertTable.Row> rows =
                table.ended(subject, Cursor.decodeNumber(cursor, Long.MAX_VALUE), most + 1);
        return Page.of(rows, most, row -> Long.toString(row.position()))
                .map(row -> AlertView.of(row.alert()));
    }
}
