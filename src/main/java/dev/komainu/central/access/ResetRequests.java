package dev.komainu.central.access;

import java.io.IOException;
import java.nio.file.Files;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The requests for new one-time passwords by files: {@code ./komainu reset-password NAME} creates
 * {@code reset/NAME.request} in the data directory, and this class replaces it by
 * {@code reset/NAME} with a new one-time password, or by {@code reset/NAME.refused} when there is
 * no such user. {@code reset/NAME@second-factor.request} removes the second factor, too. It is the
 * way in for administrators who have lost every password. Only names of files are read, never their
 * content.
 */
@Component
public class ResetRequests extends RequestFiles {

    private static final Logger LOG = LoggerFactory.getLogger(ResetRequests.class);
    private static final String REFUSED = ".refused";
    /** Part of a request's name that a user's name cannot have. */
    private static final String SECOND_FACTOR = "@second-factor";

    private final Users users;
    private final SecondFactorSetUp secondFactors;
    private final Audit audit;
    private final AccessSettings settings;

    public ResetRequests(
            Users users, SecondFactorSetUp secondFactors, Audit audit, AccessSettings settings) {
        super(settings.resets(), "reset-requests");
        this.users = users;
        this.secondFactors = secondFactors;
        this.audit = audit;
        this.settings = settings;
    }

    @Override
    protected void answer(String asked, String content) throws IOException {
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
                            SecretFile.write(file(name), password);
                            audit.write(
                                    AuditOrigin.SELF,
                                    "system",
                                    "user.password-reset",
                                    name,
                                    "done",
                                    null,
                                    null);
                            LOG.info("New one-time password of {} in {}", name, file(name));
                        },
                        () -> SecretFile.write(file(name + REFUSED), "no such user"));
    }
}
