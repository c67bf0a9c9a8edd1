package dev.komainu.central.api.telemetry;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.problem.CutOffException;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.store.DayExports;
import dev.komainu.central.store.ExportKind;
import dev.komainu.central.store.KeptAges;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.StorageUse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.catalina.connector.ClientAbortException;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The stored days of telemetry, and their export. */
@RestController
class DaysController {

    /** The registered media type of Parquet files. */
    private static final String PARQUET = "application/vnd.apache.parquet";

    private final RecordStore store;
    private final DayExports exports;
    private final Audit audit;

    @Autowired
    DaysController(RecordStore store, Audit audit) {
        this(store, DayExports.of(store), audit);
    }

    DaysController(RecordStore store, DayExports exports, Audit audit) {
        this.store = store;
        this.exports = exports;
        this.audit = audit;
    }

    record DayView(String day, boolean closed, long bytes, boolean rolledUp) {

        static DayView of(DayExports.StoredDay day) {
            return new DayView(day.day().toString(), day.closed(), day.bytes(), day.rolledUp());
        }
    }

    /** Age in days at which each form is deleted, and its size on disk. */
    record FormView(int keptDays, long bytes) {}

    /** {@code TelemetryDays} of the contract. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record DaysView(
            FormView raw,
            FormView minutes,
            FormView hours,
            List<String> kinds,
            List<DayView> items) {}

    @GetMapping("/api/v1/telemetry/days")
    DaysView list() {
        StorageUse use = store.storage();
        KeptAges kept = store.kept();
        return new DaysView(
                new FormView(kept.rawDays(), use.bytes()),
                new FormView(kept.minuteDays(), use.minuteBytes()),
                new FormView(kept.hourDays(), use.hourBytes()),
                Arrays.stream(ExportKind.values()).map(ExportKind::text).toList(),
                exports.storedDays().stream().map(DayView::of).toList());
    }

    @GetMapping("/api/v1/telemetry/days/{day}/{kind}.parquet")
    void export(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String day,
            @PathVariable String kind,
            HttpServletResponse response)
            throws IOException {
        LocalDate date = date(day).orElseThrow(ProblemException.notFound("day", day));
        ExportKind known = ExportKind.of(kind).orElseThrow(ProblemException.notFound("kind", kind));
        try {
            exports.export(date, known, () -> begin(caller, date, known, response));
        } catch (DayExports.RefusedException e) {
            throw new ProblemException(problem(e, day));
        } catch (ClientAbortException e) {
            throw e;
        } catch (IOException e) {
            if (response.isCommitted()) {
                throw new CutOffException(e);
            }
            throw e;
        }
    }

    private OutputStream begin(
            Caller caller, LocalDate day, ExportKind kind, HttpServletResponse response)
            throws IOException {
        audit.done(caller, "telemetry.export", day + " " + kind.text());
        response.setContentType(PARQUET);
        response.setHeader(
                HttpHeaders.CONTENT_DISPOSITION,
                "attachment; filename=\"" + day + "-" + kind.text() + ".parquet\"");
        return response.getOutputStream();
    }

    private static Optional<LocalDate> date(String day) {
        try {
            return Optional.of(LocalDate.parse(day));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Problem problem(DayExports.RefusedException e, String day) {
        String why = String.valueOf(e.getMessage());
        return switch (e.reason()) {
            case UNKNOWN -> Problem.notFound("day", day);
            case OPEN -> Problem.conflict("day-open", why);
            case BUSY -> Problem.conflict("export-running", why);
            case NO_ROOM -> Problem.of(507, "no-room", "Not enough room on the disk", why);
        };
    }
}
