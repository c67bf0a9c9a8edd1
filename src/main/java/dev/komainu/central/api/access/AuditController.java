package dev.komainu.central.api.access;

import dev.komainu.central.access.Audit;
import dev.komainu.central.api.page.Csv;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.audit.AuditEntry;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The audit log, newest entries first. */
@RestController
class AuditController {

    private final Audit audit;

    AuditController(Audit audit) {
        this.audit = audit;
    }

    record AuditView(
            Instant at,
            String actor,
            String action,
            @Nullable String subject,
            String outcome,
            @Nullable String address,
            @Nullable String agent,
            @Nullable String before,
            @Nullable String after) {

        static AuditView of(AuditEntry entry) {
            return new AuditView(
                    entry.at(),
                    entry.actor(),
                    entry.action(),
                    entry.subject(),
                    entry.outcome(),
                    entry.address(),
                    entry.agent(),
                    entry.before(),
                    entry.after());
        }
    }

    @GetMapping(value = "/api/v1/audit", produces = "application/json")
    Page<AuditView> list(
            @RequestParam(defaultValue = "100") int limit, @RequestParam @Nullable String cursor) {
        return page(limit, cursor).map(AuditView::of);
    }

    @GetMapping(value = "/api/v1/audit", produces = Csv.MEDIA_TYPE)
    String csv(
            @RequestParam(defaultValue = "1000") int limit, @RequestParam @Nullable String cursor) {
        Csv csv = new Csv(
                "at", "actor", "action", "subject", "outcome", "address", "agent", "before",
                "after");
        page(limit, cursor)
                .items()
                .forEach(entry -> csv.row(
                        entry.at(),
                        entry.actor(),
                        entry.action(),
                        entry.subject(),
                        entry.outcome(),
                        entry.address(),
                        entry.agent(),
                        entry.before(),
                        entry.after()));
        return csv.toString();
    }

    private Page<AuditEntry> page(int limit, @Nullable String cursor) {
        List<AuditEntry> rows =
                audit.list(Cursor.decodeNumber(cursor, Long.MAX_VALUE), Cursor.limit(limit) + 1);
        return Page.of(rows, limit, entry -> Long.toString(entry.sequence()));
    }
}
