package dev.komainu.central.alert.notify;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.komainu.central.secret.SecretCipher;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of notices. Its text form contains no secret.
 *
 * @param name 1 to 80 characters
 * @param language {@code en} or {@code ja}
 * @param mail settings of a mail receiver; else absent
 * @param hook settings of a webhook or Slack receiver; else absent
 */
public record Receiver(
        String name,
        Type type,
        String language,
        boolean enabled,
        @Nullable Mail mail,
        @Nullable Hook hook) {

    /** The protocol of a receiver. */
    public enum Type {
        MAIL,
        WEBHOOK,
        SLACK;

        @JsonValue
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Optional<Type> of(String text) {
            return Arrays.stream(values())
                    .filter(type -> type.text().equals(text))
                    .findFirst();
        }

        @JsonCreator
        static Type ofText(String text) {
            return of(text).orElseThrow(() -> new IllegalArgumentException(
                    "type: " + text + " (expected: mail, webhook or slack)"));
        }
    }

    /** The encryption of the connection to the mail server. */
    public enum Security {
        /** No encryption; then no password is sent. */
        NONE,
        /** STARTTLS (RFC 3207), required. */
        STARTTLS,
        /** TLS from the first byte (RFC 8314 section 3.3). */
        TLS;

        @JsonValue
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Optional<Security> of(String text) {
            return Arrays.stream(values())
                    .filter(security -> security.text().equals(text))
                    .findFirst();
        }

        @JsonCreator
        static Security ofText(String text) {
            return of(text).orElseThrow(() -> new IllegalArgumentException(
                    "security: " + text + " (expected: none, starttls or tls)"));
        }
    }

    /**
     * The account and the addresses of a mail receiver.
     *
     * @param user absent: no authentication
     * @param to one address or more
     */
    public record Mail(
            String host,
            int port,
            Security security,
            @Nullable String user,
            @Nullable String password,
            String from,
            List<String> to) {

        public Mail {
            to = List.copyOf(to);
        }

        /**
         * Reports whether the other settings name the same account on the same server, so that the
         * stored password may be sent there.
         */
        public boolean sameAccount(Mail other) {
            return host.equals(other.host)
                    && port == other.port
                    && security == other.security
                    && java.util.Objects.equals(user, other.user);
        }

        /** Returns these settings with another password. */
        Mail withPassword(@Nullable String other) {
            return new Mail(host, port, security, user, other, from, to);
        }

        /** Reports whether the password is stored, but its key is lost. */
        @JsonIgnore
        public boolean isUnreadable() {
            return SecretCipher.isSealed(password);
        }

        @Override
        public String toString() {
            return security.text() + " " + host + ":" + port + " → " + to;
        }
    }

    /**
     * The address of a webhook or Slack receiver.
     *
     * @param url address; for Slack the address itself is the secret
     * @param secret key of the signature; for webhooks only
     */
    public record Hook(String url, @Nullable String secret) {

        /** Returns scheme, host and port, without the parts that can be secret. */
        public String place() {
            return SecretCipher.isSealed(url)
                    ? "…"
                    : url.replaceFirst("^(https?://[^/?#]*).*$", "$1/…");
        }

        /** Reports whether the address or the key is stored, but their key is lost. */
        @JsonIgnore
        public boolean isUnreadable() {
            return SecretCipher.isSealed(url) || SecretCipher.isSealed(secret);
        }

        @Override
        public String toString() {
            return place();
        }
    }

    /** Reports whether a secret is stored, but its key is lost: it must be entered again. */
    @JsonIgnore
    public boolean isUnreadable() {
        return (mail != null && mail.isUnreadable()) || (hook != null && hook.isUnreadable());
    }

    @Override
    public String toString() {
        return type.text() + " " + name + " ("
                + (mail == null ? String.valueOf(hook) : mail.toString()) + ", " + language
                + (enabled ? ")" : ", off)");
    }
}
