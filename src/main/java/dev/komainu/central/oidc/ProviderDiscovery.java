package dev.komainu.central.oidc;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * The provider's configuration, read when it is needed first, again every hour, and before browsers
 * are sent there when it is older than a minute. After a failure, callers hear so at once for ten
 * seconds before the next attempt; callers that only check an answer get the one that was read
 * before. Any thread; one reads, the others wait for it.
 */
final class ProviderDiscovery {

    private static final Logger log = LoggerFactory.getLogger(ProviderDiscovery.class);

    static final String REGISTRATION = "provider";
    static final Duration KEPT = Duration.ofHours(1);
    static final Duration REACHED = Duration.ofMinutes(1);
    static final Duration PAUSE = Duration.ofSeconds(10);
    private static final int MOST_SECRET_BYTES = 4_096;

    private final OpenIdSettings settings;
    private final String issuer;
    private final ProviderConnection connection;
    private final Clock clock;

    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by {@code lock}, like all below. */
    private @Nullable OpenIdProvider provider;

    private Instant read = Instant.MIN;
    private Instant failed = Instant.MIN;
    private String failure = "";

    ProviderDiscovery(
            OpenIdSettings settings, String issuer, ProviderConnection connection, Clock clock) {
        this.settings = settings;
        this.issuer = issuer;
        this.connection = connection;
        this.clock = clock;
    }

    /**
     * Returns the provider.
     *
     * @throws ProviderAwayException when its configuration was never read and cannot be read now
     */
    OpenIdProvider get() throws ProviderAwayException {
        return get(KEPT, true);
    }

    /**
     * Returns the provider when it responded within the last minute.
     *
     * @throws ProviderAwayException when it does not respond
     */
    OpenIdProvider reachable() throws ProviderAwayException {
        return get(REACHED, false);
    }

    private OpenIdProvider get(Duration age, boolean older) throws ProviderAwayException {
        lock.lock();
        try {
            Instant now = clock.instant();
            OpenIdProvider known = provider;
            if (known != null && isWithin(read, age, now)) {
                return known;
            }
            if (!isWithin(failed, PAUSE, now)) {
                try {
                    known = discover(known);
                    provider = known;
                    read = now;
                    return known;
                } catch (IOException | RuntimeException e) {
                    failed = clock.instant();
                    failure = reason(e);
                    log.warn("OpenID provider {} is not usable: {}", issuer, failure);
                }
            }
            if (known == null || !older) {
                throw new ProviderAwayException(failure);
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    /** Reports whether an instant is in the past and not further back than {@code length}. */
    private static boolean isWithin(Instant at, Duration length, Instant now) {
        return !at.equals(Instant.MIN) && !now.isBefore(at) && now.isBefore(at.plus(length));
    }

    private static String reason(Exception e) {
        String message = String.valueOf(e.getMessage());
        return message.length() <= 300 ? message : message.substring(0, 300);
    }

    /**
     * Reads the configuration.
     *
     * @param known the provider as it was read before; returned when nothing changed, because it
     *     has the provider's keys
     */
    private OpenIdProvider discover(@Nullable OpenIdProvider known) throws IOException {
        URI document =
                URI.create(issuer.replaceFirst("/$", "") + "/.well-known/openid-configuration");
        Map<String, Object> metadata;
        try {
            metadata = JsonMapper.shared()
                    .readValue(connection.get(document), new TypeReference<>() {});
        } catch (JacksonException e) {
            throw new IOException(document + " (expected: a JSON object)", e);
        }
        if (!issuer.equals(metadata.get("issuer"))) {
            throw new IOException(document + ": issuer: " + metadata.get("issuer") + " (expected: "
                    + issuer + ", as komainu.oidc.issuer)");
        }
        String secret = secret(settings.clientSecretFile());
        ClientRegistration.Builder builder = ClientRegistrations.fromOidcConfiguration(metadata)
                .registrationId(REGISTRATION)
                .clientId(settings.clientId())
                .redirectUri(settings.address() + OpenIdSettings.CALLBACK)
                .scope(scopes(settings.scopes()));
        if (secret == null) {
            builder.clientAuthenticationMethod(ClientAuthenticationMethod.NONE);
        } else {
            builder.clientSecret(secret);
        }
        ClientRegistration registration = builder.build();
        ClientRegistration.ProviderDetails details = registration.getProviderDetails();
        for (String address : new String[] {
            details.getAuthorizationUri(),
            details.getTokenUri(),
            details.getJwkSetUri(),
            details.getUserInfoEndpoint().getUri()
        }) {
            if (address != null && !OpenIdSettings.isProtected(URI.create(address))) {
                throw new IOException(document + ": " + address
                        + " (expected: an https address, or http on a loopback address)");
            }
        }
        String contents = metadata + "\n" + secret;
        return known != null && known.isMadeFrom(contents)
                ? known
                : new OpenIdProvider(
                        registration,
                        endSession(metadata).orElse(null),
                        contents,
                        connection,
                        clock);
    }

    private static List<String> scopes(List<String> wanted) {
        return Stream.concat(Stream.of("openid"), wanted.stream()).distinct().toList();
    }

    private static Optional<URI> endSession(Map<String, Object> metadata) {
        return metadata.get("end_session_endpoint") instanceof String address
                ? Optional.of(URI.create(address)).filter(OpenIdSettings::isProtected)
                : Optional.empty();
    }

    /**
     * Returns the first line of the file with the client's secret.
     *
     * @throws IOException naming the file and what was expected; never the secret
     */
    static @Nullable String secret(@Nullable Path file) throws IOException {
        if (file == null) {
            return null;
        }
        if (!Files.isReadable(file) || Files.size(file) > MOST_SECRET_BYTES) {
            throw new IOException("komainu.oidc.client-secret-file: " + file
                    + " (expected: a readable file of at most " + MOST_SECRET_BYTES + " bytes)");
        }
        return Files.readString(file)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .findFirst()
                .orElseThrow(() -> new IOException("komainu.oidc.client-secret-file: " + file
                        + ": empty (expected: the secret on its first line)"));
    }
}
