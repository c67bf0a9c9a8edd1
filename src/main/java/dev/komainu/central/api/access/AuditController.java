package dev.komainu.central.api.access;

import dev.komainu.central.access.Audit;
import dev.komainu.central.api.page.Csv;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.audit.AuditEntry;
import dev.komainu.central.audit.EntryJson;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The audit log, newest entries first. */
@RestController
class AuditController {

    private static final String EXPORT = "application/x-ndjson";

    private final Audit audit;

    AuditController(Audit audit) {
        this.audit = audit;
    }

    record AuditView(
            long sequence,
            Instant at,
            String actor,
            String action,
            @Nullable String subject,
            String outcome,
            int attempts,
            @Nullable String address,
            @Nullable String agent,
            @Nullable String before,
            @Nullable String after,
            String hash) {

        static AuditView of(AuditEntry entry) {
            return new AuditView(
                    entry.sequence(),
                    entry.at(),
                    entry.actor(),
                    entry.action(),
                    entry.subject(),
                    entry.outcome(),
                    entry.attempts(),
                    entry.address(),
                    entry.agent(),
                    entry.before(),
                    entry.after(),
                    entry.hash());
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
                "at",
                "actor",
                "action",
                "subject",
                "outcome",
                "address",
                "agent",
                "before",
                "after",
                "attempts",
                "sequence",
                "hash");
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
                        entry.after(),
                        entry.attempts(),
                        entry.sequence(),
                        entry.hash()));
        return csv.toString();
    }

    /** Writes the whole log, oldest first, one JSON object a line, for {@code audit verify}. */
    @GetMapping(value = "/api/v1/audit", produces = EXPORT)
    void export(HttpServletResponse response) throws IOException {
        response.setContentType(EXPORT);
        OutputStream out = response.getOutputStream();
        for (Iterator<AuditEntry> rows = audit.all(); rows.hasNext(); ) {
            out.write((EntryJson.line(rows.next()) + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private Page<AuditEntry> page(int limit, @Nullable String cursor) {
        List<AuditEntry> rows =
                audit.list(Cursor.decodeNumber(cursor, Long.MAX_VALUE), Cursor.limit(limit) + 1);
        return Page.of(rows, limit, entry -> Long.toString(entry.sequence()));
    }
}
