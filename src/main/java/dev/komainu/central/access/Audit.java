package dev.komainu.central.access;

import dev.komainu.central.audit.AuditDraft;
import dev.komainu.central.audit.AuditEntry;
import dev.komainu.central.audit.AuditLog;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The audit log: actions with their actor. Entries are only added, and deleted by age and number
 * ({@link AuditLog}). Any thread.
 */
@Component
public class Audit {

    private final AuditLog log;
    private final AccessSettings settings;

    public Audit(AuditLog log, AccessSettings settings) {
        this.log = log;
        this.settings = settings;
    }

    /** Records an action of an authenticated caller. */
    public void done(Caller caller, String action, @Nullable String subject) {
        done(caller, action, subject, null, null);
    }

    /** Records a change by an authenticated caller, with the state before and after. */
    public void done(
            Caller caller,
            String action,
            @Nullable String subject,
            @Nullable String before,
            @Nullable String after) {
        write(caller.origin(), caller.name(), action, subject, "done", before, after);
    }

    /**
     * Records that a part refused what it was told to do, by the part's own report.
     *
     * @param part name of the part, as in its batches
     */
    public void refusedBy(String part, String action, @Nullable String subject, String reason) {
        write(AuditOrigin.SELF, part, action, subject, "refused", null, reason);
    }

    /** Records an action. Refused ones that repeat within a minute are counted in one entry. */
    void write(
            AuditOrigin origin,
            String actor,
            String action,
            @Nullable String subject,
            String outcome,
            @Nullable String before,
            @Nullable String after) {
        log.append(new AuditDraft(
                actor,
                action,
                subject,
                outcome,
                1,
                origin.address(),
                origin.agent(),
                before,
                after));
    }

    /** Returns entries, newest first, only those with a number below {@code before}. */
    public List<AuditEntry> list(long before, int limit) {
        return log.rows().newest(before, limit);
    }

    /** Returns all entries, oldest first, read page by page. */
    public Iterator<AuditEntry> all() {
        return log.rows().all();
    }

    /**
     * Removes entries above the configured age and number, see {@link AuditLog#removeOld}. Called
     * at start and daily.
     */
    public void forgetOld() {
        log.removeOld(settings.auditDays());
    }
}
