package dev.komainu.central.api.backup;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.access.PasswordChecks;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.backup.BackupRun;
import dev.komainu.central.backup.Backups;
import dev.komainu.central.backup.ControlCopies;
import dev.komainu.central.backup.ControlFile;
import dev.komainu.central.backup.FinishedBackup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The backups of this service, and the copies of its control data. */
@RestController
class BackupController {

    private final Backups backups;
    private final ControlCopies copies;
    private final ObjectProvider<ControlFile.Mending> mending;
    private final PasswordChecks passwords;
    private final Audit audit;

    BackupController(
            Backups backups,
            ControlCopies copies,
            ObjectProvider<ControlFile.Mending> mending,
            PasswordChecks passwords,
            Audit audit) {
        this.backups = backups;
        this.copies = copies;
        this.mending = mending;
        this.passwords = passwords;
        this.audit = audit;
    }

    record NewBackup(@Nullable Boolean encrypted) {}

    /** {@code BackupRun} of the contract. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record RunView(
            String directory,
            Instant begun,
            boolean encrypted,
            String state,
            String stage,
            long bytes,
            long expectedBytes,
            @Nullable Instant ended,
            @Nullable String fault) {

        static RunView of(BackupRun run) {
            BackupRun.Outcome outcome = run.outcome();
            return new RunView(
                    run.directory().toString(),
                    run.begun(),
                    run.encrypted(),
                    outcome == null ? "running" : outcome.fault() == null ? "complete" : "failed",
                    run.stage().text(),
                    run.bytes(),
                    run.expectedBytes(),
                    outcome == null ? null : outcome.at(),
                    outcome == null ? null : outcome.fault());
        }
    }

    /** {@code StoredBackup} of the contract. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record StoredView(
            String name,
            boolean complete,
            @Nullable String fault,
            @Nullable Instant control,
            @Nullable Instant telemetry,
            @Nullable Boolean encrypted,
            @Nullable Integer days,
            @Nullable Long rows,
            @Nullable Long bytes,
            List<String> missing) {

        static StoredView of(Backups.Listed listed) {
            FinishedBackup.Summary summary = listed.summary();
            return summary == null
                    ? new StoredView(
                            listed.name(),
                            false,
                            listed.fault(),
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            List.of())
                    : new StoredView(
                            listed.name(),
                            true,
                            null,
                            summary.control(),
                            summary.telemetry(),
                            summary.encrypted(),
                            summary.days(),
                            summary.rows(),
                            summary.bytes(),
                            summary.missing());
        }
    }

    record CopyView(Instant at, long bytes) {}

    /** The copies of the control data that the service makes by itself. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record CopiesView(
            long everySeconds,
            int most,
            List<CopyView> items,
            @Nullable String failure) {}

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record MendingView(String fault, Instant from, @Nullable String aside) {}

    /** {@code Backups} of the contract. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record BackupsView(
            String directory,
            boolean canEncrypt,
            @Nullable RunView newest,
            List<StoredView> items,
            CopiesView copies,
            @Nullable MendingView mended) {}

    @GetMapping("/api/v1/backups")
    BackupsView list() throws IOException {
        ControlFile.Mending mended = mending.getIfAvailable();
        return new BackupsView(
                backups.settings().directory().toString(),
                backups.settings().passphraseFile() != null,
                backups.newest().map(RunView::of).orElse(null),
                backups.list().stream().map(StoredView::of).toList(),
                new CopiesView(
                        backups.settings().copyEvery().toSeconds(),
                        backups.settings().copies(),
                        copies.list().stream()
                                .map(copy -> new CopyView(copy.at(), copy.bytes()))
                                .toList(),
                        copies.failure().orElse(null)),
                mended == null
                        ? null
                        : new MendingView(
                                mended.fault(),
                                mended.from(),
                                mended.aside() == null ? null : mended.aside().toString()));
    }

    /** Begins a backup, or goes on with one of the same kind that was broken off. */
    @PostMapping("/api/v1/backups")
    @ResponseStatus(HttpStatus.ACCEPTED)
    RunView create(@AuthenticationPrincipal Caller caller, @RequestBody NewBackup body) {
        boolean encrypted = Objects.requireNonNullElse(body.encrypted(), false);
        Path passphrase = backups.settings().passphraseFile();
        new BodyChecks()
                .that(body.encrypted() != null, "encrypted", null, "true or false")
                .that(
                        !encrypted || passphrase != null,
                        "encrypted",
                        true,
                        "false, unless komainu.backup.passphrase-file names a passphrase")
                .orRefuse();
        passwords.requireConfirmed(caller);
        try {
            BackupRun run = backups.startInConsole(encrypted);
            audit.done(caller, "backup.create", run.directory().toString());
            return RunView.of(run);
        } catch (Backups.RefusedException e) {
            throw new ProblemException(
                    Problem.conflict("backup-refused", String.valueOf(e.getMessage())));
        }
    }
}
