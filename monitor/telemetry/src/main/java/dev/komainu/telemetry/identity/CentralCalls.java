package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** The HTTP client of enrolment and renewal: one POST of JSON, and its response. */
final class CentralCalls {

    private static final int CONNECT_MILLIS = 5_000;
    private static final int READ_MILLIS = 30_000;
    private static final int MOST_BYTES = 512 << 10;
    private static final int MOST_RETRY_SECONDS = 300;

    private CentralCalls() {}

    /**
     * A response.
     *
     * @param after shortest wait that the central service asks for; zero: none
     * @param date the central service's clock; null: the response has none
     */
    record Response(
            int status,
            String body,
            Duration after,
            @Nullable Instant date) {

        /** Returns the type of the problem (RFC 9457), without its common beginning; or "". */
        String problem() {
            return CertificateRefusal.problem(body);
        }

        /** Returns the problem's text; without one, the status. */
        String detail() {
            try {
                FlatJson json = FlatJson.parse(body);
                String detail = json.textOrAbsent("detail");
                String title = json.textOrAbsent("title");
                if (detail != null || title != null) {
                    return detail == null ? String.valueOf(title) : detail;
                }
            } catch (IOException e) {
                // Not a problem of a central service.
            }
            return "status " + status;
        }
    }

    /**
     * Sends a request.
     *
     * @throws IOException when there is no response, or only a part of it
     */
    static Response post(URI central, String path, String json, SSLSocketFactory sockets)
            throws IOException {
        String base = central.toString().replaceFirst("/+$", "");
        if (!(URI.create(base + path).toURL().openConnection()
                instanceof HttpsURLConnection connection)) {
            throw new IOException("central.url: " + central + " (expected: https://HOST:PORT)");
        }
        try {
            byte[] body = json.getBytes(StandardCharsets.UTF_8);
            connection.setSSLSocketFactory(sockets);
            connection.setConnectTimeout(CONNECT_MILLIS);
            connection.setReadTimeout(READ_MILLIS);
            connection.setInstanceFollowRedirects(false);
            connection.setUseCaches(false);
            connection.setDoOutput(true);
            connection.setRequestMethod("POST");
            connection.setRequestProperty("Content-Type", "application/json");
            connection.setRequestProperty("Accept", "application/json, application/problem+json");
            // Not streamed: in that mode the body of a response 401 cannot be read.
            try (OutputStream out = connection.getOutputStream()) {
                out.write(body);
            }
            int status = connection.getResponseCode();
            long date = connection.getDate();
            return new Response(
                    status,
                    text(connection, status),
                    after(connection),
                    date == 0 ? null : Instant.ofEpochMilli(date));
        } finally {
            connection.disconnect();
        }
    }

    private static String text(HttpsURLConnection connection, int status) throws IOException {
        try (InputStream in =
                status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            byte[] body = in == null ? new byte[0] : in.readNBytes(MOST_BYTES);
            long announced = connection.getContentLengthLong();
            if (body.length < Math.min(announced, MOST_BYTES)) {
                // The JDK does not report the end of the connection within a body of known length.
                throw new IOException(
                        "the response ended after " + body.length + " of " + announced + " bytes");
            }
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    private static Duration after(HttpsURLConnection connection) {
        String text = connection.getHeaderField("Retry-After");
        try {
            return text == null
                    ? Duration.ZERO
                    : Duration.ofSeconds(
                            Math.clamp(Long.parseLong(text.strip()), 0, MOST_RETRY_SECONDS));
        } catch (NumberFormatException e) {
            return Duration.ZERO;
        }
    }
}
