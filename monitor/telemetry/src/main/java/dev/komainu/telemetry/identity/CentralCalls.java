package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BiFunction;
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
     * @param central address that answered
     * @param after shortest wait that the central service asks for; zero: none
     * @param date the central service's clock; null: the response has none
     */
    record Response(
            URI central,
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
     * Sends a request to one address after the other, until one answers something else than that it
     * cannot now.
     *
     * @param words returns why a request to an address failed, for a message about several
     * @throws CentralUnansweredException when none of several addresses did
     * @throws IOException when there is no response of the only address, or only a part of it
     */
    static Response post(
            CentralRoute route,
            String path,
            String json,
            SSLSocketFactory sockets,
            BiFunction<URI, IOException, String> words)
            throws IOException {
        boolean isOnly = route.all().size() == 1;
        IOException last = null;
        boolean isLasting = true;
        for (URI each : route.next()) {
            try {
                Response response = post(each, path, json, sockets);
                if (isOnly || !CentralRoute.isElsewhere(response.status())) {
                    route.answered(each);
                    return response;
                }
                route.failed(each, response.detail(), response.after());
                isLasting = false;
            } catch (IOException e) {
                if (isOnly) {
                    throw e;
                }
                UntrustedServerException untrusted = UntrustedServerException.in(e);
                isLasting &= untrusted != null && untrusted.isLasting();
                route.failed(each, words.apply(each, e), Duration.ZERO);
                last = e;
            }
        }
        throw new CentralUnansweredException(
                route.failures(), isLasting && last != null, route.untilNext(), last);
    }

    /**
     * Sends a request.
     *
     * @throws IOException when there is no response, or only a part of it
     */
    private static Response post(URI central, String path, String json, SSLSocketFactory sockets)
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
                    central,
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
