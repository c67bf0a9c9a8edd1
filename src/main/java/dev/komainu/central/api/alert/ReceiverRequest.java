package dev.komainu.central.api.alert;

import dev.komainu.central.alert.notify.Receiver;
import dev.komainu.central.api.problem.BodyChecks;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request that creates or edits a receiver. An edit without a secret keeps the stored
 * one. A mail server's password is never used for another account or server than it was set for.
 *
 * @param secret key of a webhook's signature, 16 to 200 characters
 */
record ReceiverRequest(
        @Nullable String name,
        @Nullable String type,
        @Nullable String language,
        @Nullable Boolean enabled,
        @Nullable MailRequest mail,
        @Nullable String url,
        @Nullable String secret) {

    private static final int MOST_RECIPIENTS = 50;

    record MailRequest(
            @Nullable String host,
            @Nullable Integer port,
            @Nullable String security,
            @Nullable String user,
            @Nullable String password,
            @Nullable String from,
            @Nullable List<@Nullable String> to) {}

    /** Returns a text form without secrets, since it can be logged. */
    @Override
    public String toString() {
        return "receiver " + name;
    }

    /**
     * Returns the checked receiver.
     *
     * @param before edited receiver; absent for a new one
     * @throws dev.komainu.central.api.problem.ProblemException naming every field that is wrong,
     *     and no secret
     */
    Receiver checked(@Nullable Receiver before) {
        Receiver.Type ofType =
                Receiver.Type.of(Objects.requireNonNullElse(type, "")).orElse(null);
        String languageOrDefault = Objects.requireNonNullElse(language, "en");
        BodyChecks checks = new BodyChecks()
                .text("name", name, 80)
                .that(ofType != null, "type", type, "mail, webhook or slack")
                .that(
                        before == null || ofType == before.type(),
                        "type",
                        type,
                        before == null
                                ? ""
                                : before.type().text()
                                        + ", since the type of a receiver cannot change")
                .that(
                        Set.of("en", "ja").contains(languageOrDefault),
                        "language",
                        languageOrDefault,
                        "en or ja");
        boolean byMail = ofType == Receiver.Type.MAIL;
        Receiver.Mail checkedMail =
                byMail ? mail(checks, before == null ? null : before.mail()) : null;
        Receiver.Hook checkedHook = byMail || ofType == null
                ? null
                : hook(checks, ofType, before == null ? null : before.hook());
        checks.that(byMail || mail == null, "mail", "given", "absent, unless the type is mail")
                .that(
                        !byMail || (url == null && secret == null),
                        "url, secret",
                        "given",
                        "absent for mail");
        checks.orRefuse();
        return new Receiver(
                Objects.requireNonNull(name).strip(),
                Objects.requireNonNull(ofType),
                languageOrDefault,
                enabled == null || enabled,
                checkedMail,
                checkedHook);
    }

    private Receiver.@Nullable Mail mail(BodyChecks checks, Receiver.@Nullable Mail before) {
        if (mail == null) {
            checks.that(false, "mail", "absent", "host, port, security, from, to");
            return null;
        }
        String host = Objects.requireNonNullElse(mail.host(), "").strip();
        Receiver.Security security = Receiver.Security.of(
                        Objects.requireNonNullElse(mail.security(), "starttls"))
                .orElse(null);
        int port =
                mail.port() != null ? mail.port() : security == Receiver.Security.TLS ? 465 : 587;
        String user = mail.user() == null || mail.user().isBlank() ? null : mail.user();
        List<@Nullable String> to = Objects.requireNonNullElse(mail.to(), List.of());
        checks.that(
                        host.matches("[A-Za-z0-9._:-]{1,253}"),
                        "mail.host",
                        mail.host(),
                        "a host name or address")
                .that(port >= 1 && port <= 65_535, "mail.port", port, "1 to 65535")
                .that(security != null, "mail.security", mail.security(), "none, starttls or tls")
                .that(isAddress(mail.from()), "mail.from", mail.from(), "a mail address")
                .that(
                        !to.isEmpty() && to.size() <= MOST_RECIPIENTS,
                        "mail.to",
                        to.size() + " addresses",
                        "1 to " + MOST_RECIPIENTS)
                .optionalText("mail.user", user, 200)
                .secret(
                        mail.password() == null || mail.password().length() <= 500,
                        "mail.password",
                        "at most 500 characters")
                .that(
                        user == null || security != Receiver.Security.NONE,
                        "mail.security",
                        mail.security(),
                        "starttls or tls with a user, since a password must not be sent in clear text")
                .that(
                        user != null || mail.password() == null,
                        "mail.user",
                        "absent",
                        "a user with the password");
        for (int i = 0; i < to.size(); i++) {
            checks.that(isAddress(to.get(i)), "mail.to[" + i + "]", to.get(i), "a mail address");
        }
        if (security == null) {
            return null;
        }
        Receiver.Mail requested = new Receiver.Mail(
                host,
                port,
                security,
                user,
                mail.password(),
                String.valueOf(mail.from()),
                to.stream().map(String::valueOf).toList());
        if (user == null || mail.password() != null) {
            return requested;
        }
        boolean keepsPassword = before != null
                && before.password() != null
                && !before.isUnreadable()
                && before.sameAccount(requested);
        checks.secret(
                keepsPassword,
                "mail.password",
                "the password, since none is stored for this server and user");
        return new Receiver.Mail(
                host,
                port,
                security,
                user,
                before == null ? null : before.password(),
                requested.from(),
                requested.to());
    }

    private Receiver.Hook hook(
            BodyChecks checks, Receiver.Type ofType, Receiver.@Nullable Hook before) {
        // What cannot be read is not kept: it must be entered again.
        Receiver.Hook kept = before == null || before.isUnreadable() ? null : before;
        String address =
                url == null && kept != null ? kept.url() : Objects.requireNonNullElse(url, "");
        String key = secret == null && kept != null ? kept.secret() : secret;
        checks.secret(
                isHttp(address),
                "url",
                "http:// or https://, a host, no user and no fragment, at most 2000 characters");
        if (ofType == Receiver.Type.WEBHOOK) {
            checks.secret(
                    key != null && key.length() >= 16 && key.length() <= 200,
                    "secret",
                    "16 to 200 characters, the key of the signature");
        } else {
            checks.secret(secret == null, "secret", "absent: Slack's address is the secret");
        }
        return new Receiver.Hook(address, ofType == Receiver.Type.WEBHOOK ? key : null);
    }

    private static boolean isHttp(String text) {
        try {
            URI uri = new URI(text);
            return text.length() <= 2_000
                    && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
                    && uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawFragment() == null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static boolean isAddress(@Nullable String text) {
        if (text == null || text.length() > 254 || !text.matches("[!-~]+@[!-~]+")) {
            return false;
        }
        try {
            new InternetAddress(text, true).validate();
            return true;
        } catch (AddressException e) {
            return false;
        }
    }
}
