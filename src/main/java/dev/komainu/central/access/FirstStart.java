package dev.komainu.central.access;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * The first start's set-up: an administrator and, where configured, a token to read for scripts on
 * this machine. It runs before the port opens, so that the files exist when the service begins to
 * respond. A file that exists and still works is not replaced.
 */
@Component
public class FirstStart implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(FirstStart.class);
    static final String FIRST_ADMINISTRATOR = "admin";
    private static final Duration BOOTSTRAP_LIFE = Duration.ofDays(366);

    private final Users users;
    private final ApiTokens tokens;
    private final Audit audit;
    private final AccessSettings settings;
    private final Clock clock;
    private volatile boolean running;

    public FirstStart(
            Users users, ApiTokens tokens, Audit audit, AccessSettings settings, Clock clock) {
        this.users = users;
        this.tokens = tokens;
        this.audit = audit;
        this.settings = settings;
        this.clock = clock;
    }

    @Override
    public void start() {
        running = true;
        audit.forgetOld();
        if (users.list().isEmpty()) {
            createAdministrator();
        } else {
            renewUnused();
        }
        Path directory = settings.bootstrapTokens();
        if (directory != null) {
            bootstrap(directory, "read", EnumSet.of(Scope.METRICS_READ, Scope.SERVERS_READ));
        }
    }

    private void createAdministrator() {
        Users.Created created =
                users.create(FIRST_ADMINISTRATOR, Role.ADMINISTRATOR).orElseThrow();
        tell(created, settings.firstPassword());
        audit.write(
                AuditOrigin.SELF,
                "system",
                "user.create",
                FIRST_ADMINISTRATOR,
                "done",
                null,
                "administrator");
    }

    /** Replaces the first administrator's one-time password if it expired without a use. */
    private void renewUnused() {
        if (!Files.isRegularFile(settings.firstPassword())
                || users.password(FIRST_ADMINISTRATOR)
                        .map(Users.Password::until)
                        .filter(until -> !until.isAfter(clock.instant()))
                        .isEmpty()) {
            return;
        }
        users.resetPassword(FIRST_ADMINISTRATOR)
                .ifPresent(password -> tell(
                        new Users.Created(
                                new User(FIRST_ADMINISTRATOR, Role.ADMINISTRATOR, true, null),
                                password),
                        settings.firstPassword()));
    }

    /** Writes the password into its file; the log names the file only. */
    void tell(Users.Created created, Path file) {
        SecretFile.write(file, created.oneTimePassword());
        log.info(
                "First administrator: name {}, one-time password in {} (it must be changed at the first login)",
                created.user().name(),
                file);
    }

    private void bootstrap(Path directory, String name, Set<Scope> scopes) {
        Path file = directory.resolve(name + ".token");
        if (SecretFile.read(file).flatMap(tokens::find).isPresent()) {
            return;
        }
        ApiTokens.Created created =
                tokens.create("bootstrap " + name, scopes, BOOTSTRAP_LIFE, "system");
        SecretFile.write(file, created.secret());
        audit.write(
                AuditOrigin.SELF,
                "system",
                "token.create",
                created.token().id(),
                "done",
                null,
                "bootstrap " + name + ": "
                        + scopes.stream().map(Scope::text).collect(Collectors.joining(", ")));
        log.info("Token for {} written to {}", name, file);
    }

    /**
     * Runs before the web server (which starts at {@code MAX_VALUE - 2048}) and before every bean
     * that uses these files.
     */
    @Override
    public int getPhase() {
        return 0;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
