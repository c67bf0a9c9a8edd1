package dev.komainu.central.api.access;

import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.audit.AuditHead;
import dev.komainu.central.audit.ChainFault;
import dev.komainu.central.audit.ChainReport;
import dev.komainu.central.audit.SignedHead;
import dev.komainu.central.audit.outside.AuditFeed;
import dev.komainu.central.audit.outside.AuditKeeper;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The check of the audit log's chain, and the state of its copies outside. */
@RestController
class AuditVerificationController {

    private final AuditKeeper keeper;

    AuditVerificationController(AuditKeeper keeper) {
        this.keeper = keeper;
    }

    record HeadView(Instant at, long sequence, String hash, String signature) {
        static HeadView of(SignedHead head) {
            return new HeadView(
                    head.at(), head.head().sequence(), head.head().hash(), head.signature());
        }
    }

    record FaultView(String kind, long sequence, String text) {
        static FaultView of(ChainFault fault) {
            return new FaultView(fault.kind().text(), fault.sequence(), fault.text());
        }
    }

    record CheckView(
            Instant at,
            boolean complete,
            long first,
            long last,
            long rows,
            int headsCompared,
            @Nullable FaultView fault) {
        static CheckView of(AuditKeeper.Checked checked) {
            ChainReport report = checked.report();
            return new CheckView(
                    checked.at(),
                    report.complete(),
                    report.first(),
                    report.head().sequence(),
                    report.rows(),
                    report.headsCompared(),
                    report.fault() == null ? null : FaultView.of(report.fault()));
        }
    }

    record VerificationView(
            HeadView head,
            @Nullable HeadView written,
            @Nullable CheckView check,
            List<AuditFeed.State> outside) {}

    /**
     * Returns the newest check.
     *
     * @param head a head known from elsewhere; the log is checked against it now
     * @param now whether the log is checked now
     */
    @GetMapping("/api/v1/audit/verification")
    VerificationView verification(
            @RequestParam @Nullable String head,
            @RequestParam(defaultValue = "false") boolean now) {
        AuditKeeper.Checked checked;
        if (head != null) {
            checked = keeper.check(List.of(AuditHead.of(head)
                    .orElseThrow(() -> ProblemException.invalidField(
                            "head", head, "SEQ:HASH with 64 hexadecimal digits"))));
        } else {
            checked = now ? keeper.check(List.of()) : keeper.newestCheck().orElse(null);
        }
        return new VerificationView(
                HeadView.of(keeper.head()),
                keeper.writtenHead().map(HeadView::of).orElse(null),
                checked == null ? null : CheckView.of(checked),
                keeper.outside());
    }
}
