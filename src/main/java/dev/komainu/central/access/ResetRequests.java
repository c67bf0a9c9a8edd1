package dev.komainu.central.access;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * The requests for new one-time passwords by files: {@code ./komainu reset-password NAME} creates
 * {@code reset/NAME.request} in the data directory, and this class replaces it by
 * {@code reset/NAME} with a new one-time password, or by {@code reset/NAME.refused} when there is
 * no such user. {@code reset/NAME@second-factor.request} removes the second factor, too. It is the
 * way in for administrators who have lost every password. An account that can write into the data
 * directory owns the service anyway. Only names of files are read, never their content.
 */
@Component
public class ResetRequests implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(ResetRequests.class);
    private static final String REQUEST = ".request";
    private static final String REFUSED = ".refused";
    /** Part of a request's name that a user's name cannot have. */
    private static final String SECOND_FACTOR = "@second-factor";

    private static final int SECONDS = 2;

    private final Users users;
    private final SecondFactorSetUp secondFactors;
    private final Audit audit;
    private final AccessSettings settings;
    private volatile @Nullable ScheduledExecutorService thread;

    public ResetRequests(
            Users users, SecondFactorSetUp secondFactors, Audit audit, AccessSettings settings) {
        this.users = users;
        this.secondFactors = secondFactors;
        this.audit = audit;
        this.settings = settings;
    }

    @Override
    public void start() {
        try {
            Files.createDirectories(
                    settings.resets(),
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot create " + settings.resets(), e);
        }
        ScheduledExecutorService fresh = Executors.newSingleThreadScheduledExecutor(
                Thread.ofVirtual().name("reset-requests").factory());
        ScheduledFuture<?> unused =
                fresh.scheduleWithFixedDelay(this::look, 0, SECONDS, TimeUnit.SECONDS);
        thread = fresh;
    }

    private void look() {
        try {
            answerAll();
        } catch (RuntimeException e) {
            log.warn("{}: {}", settings.resets(), e.toString());
        }
    }

    /** Answers all requests in the directory. */
    synchronized void answerAll() {
        try (DirectoryStream<Path> requests =
                Files.newDirectoryStream(settings.resets(), "*" + REQUEST)) {
            for (Path request : requests) {
                answer(request);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void answer(Path request) throws IOException {
        String file = request.getFileName().toString();
        String asked = file.substring(0, file.length() - REQUEST.length());
        Files.deleteIfExists(request);
        boolean factorToo = asked.endsWith(SECOND_FACTOR);
        String name =
                factorToo ? asked.substring(0, asked.length() - SECOND_FACTOR.length()) : asked;
        if (!name.matches(Users.NAME)) {
            return;
        }
        if (factorToo) {
            secondFactors.removeOf(name, "system", AuditOrigin.SELF);
        }
        if (name.equals(FirstStart.FIRST_ADMINISTRATOR)) {
            Files.deleteIfExists(settings.firstPassword()); // it no longer works
        }
        users.resetPassword(name)
                .ifPresentOrElse(
                        password -> {
                            SecretFile.write(settings.resets().resolve(name), password);
                            audit.write(
                                    AuditOrigin.SELF,
                                    "system",
                                    "user.password-reset",
                                    name,
                                    "done",
                                    null,
                                    null);
                            log.info(
                                    "New one-time password of {} in {}",
                                    name,
                                    settings.resets().resolve(name));
                        },
                        () -> SecretFile.write(
                                settings.resets().resolve(name + REFUSED), "no such user"));
    }

    @Override
    public void stop() {
        ScheduledExecutorService ending = thread;
        if (ending != null) {
            ending.shutdown();
            thread = null;
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }
}
