package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.function.Function;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;

/**
 * The clock of the central service, asked for when a connection fails and a wrong clock may be the
 * reason: then no response tells it. The request is one for a public page, without certificate and
 * token, and only the field {@code Date} of the response is used, for a message. The service's
 * certificate is checked as usual, except for its time. Any thread.
 */
final class CentralClock {

    private static final String PATH = "/actuator/health";
    private static final int TIMEOUT_MILLIS = 5_000;

    private CentralClock() {}

    /**
     * Returns the text about the difference of the two clocks; null: there is none to tell, or no
     * response.
     *
     * @param authorities returns the authorities that count for a chain
     */
    static @Nullable String difference(
            URI central,
            Function<X509Certificate[], Collection<X509Certificate>> authorities,
            Clock clock) {
        try {
            String base = central.toString().replaceFirst("/+$", "");
            if (!(URI.create(base + PATH).toURL().openConnection()
                    instanceof HttpsURLConnection connection)) {
                return null;
            }
            try {
                connection.setSSLSocketFactory(
                        TlsContext.of(null, new AnyTimeTrust(authorities)).getSocketFactory());
                connection.setConnectTimeout(TIMEOUT_MILLIS);
                connection.setReadTimeout(TIMEOUT_MILLIS);
                connection.setInstanceFollowRedirects(false);
                connection.setUseCaches(false);
                connection.setRequestMethod("HEAD");
                connection.getResponseCode();
                long date = connection.getDate();
                return date == 0
                        ? null
                        : ClockHint.between(clock.instant(), Instant.ofEpochMilli(date));
            } finally {
                connection.disconnect();
            }
        } catch (IOException | IllegalArgumentException e) {
            return null; // The failure that led here is told.
        }
    }
}
