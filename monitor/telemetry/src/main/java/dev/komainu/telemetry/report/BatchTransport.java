package dev.komainu.telemetry.report;

import dev.komainu.telemetry.identity.CentralRoute;
import dev.komainu.telemetry.identity.CentralTls;
import dev.komainu.telemetry.identity.CertificateRefusal;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.identity.ResponseClocks;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP client that posts one batch to one address and reads the response. Sender thread only.
 *
 * <p>It uses HttpURLConnection, not java.net.http: one request at a time needs no selector thread,
 * no executor and no HTTP/2, and an agent has 80 MB in total (a process that only posts: 49 MB
 * resident against 68). Bodies are streamed with a fixed length, which also disables its silent
 * retries.
 */
final class BatchTransport {

    private static final int DETAIL_BYTES = 4_096;

    /** Sufficient for sixteen orders in a response. */
    private static final int RECEIPT_BYTES = 80 << 10;

    private static final Pattern ORDERS = Pattern.compile("\"orders\"\\s*:\\s*\\[([^\\]]*)]");
    private static final Pattern ORDER =
            Pattern.compile("\"([A-Za-z0-9_-]{1,4000}\\.[A-Za-z0-9_-]{1,200})\"");

    private static final Pattern JUDGED = Pattern.compile("\"judged\"\\s*:\\s*\\{([^}]*)}");
    private static final Pattern JUDGEMENT =
            Pattern.compile("\"([^\"\\\\]{1,300})\"\\s*:\\s*\"([a-z/-]{1,40})\"");

    /** Services have addresses with brackets in their names, so the list ends after a quote. */
    private static final Pattern DETAILED =
            Pattern.compile("\"detailed\"\\s*:\\s*\\[((?:\\s*\"[^\"\\\\]{1,300}\"\\s*,?)*)]");

    private static final Pattern DETAILED_SERVICE = Pattern.compile("\"([^\"\\\\]{1,300})\"");

    private static final Pattern REVOKED = Pattern.compile("\"revoked\"\\s*:\\s*\\[([^\\]]*)]");
    private static final Pattern PART = Pattern.compile("\"([0-9A-Za-z-]{1,36})\"");

    private final URL url;
    private final @Nullable Path tokenFile;
    private final @Nullable PartIdentity identity;
    private final CentralTls tls;
    private final ResponseClocks clocks = new ResponseClocks(Clock.systemUTC());
    private final URI central;
    private final int mostMillis;
    private int timeoutMillis;
    private @Nullable String token;

    /**
     * Creates the client.
     *
     * @param authorities PEM file of authorities of the service's certificate, see
     *     {@link CentralTls}
     * @param identity its certificate is used in place of the token; absent: the token
     */
    BatchTransport(
            URI central,
            @Nullable Path tokenFile,
            @Nullable Path authorities,
            @Nullable PartIdentity identity,
            Duration timeout) {
        String base = central.toString();
        try {
            this.url = URI.create((base.endsWith("/") ? base : base + "/") + "api/v1/ingest")
                    .toURL();
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "central.url: " + central + " (expected: http://HOST:PORT)", e);
        }
        this.tokenFile = identity == null ? tokenFile : null;
        this.central = central;
        this.identity = identity;
        this.tls = new CentralTls(identity, authorities);
        this.mostMillis = (int) timeout.toMillis();
    }

    /**
     * Sends a batch.
     *
     * @param patience longest wait for the connection and for the response, where it is shorter
     *     than the timeout of the settings
     */
    SendResult post(OutgoingBatch batch, Duration patience) {
        timeoutMillis = Math.min(mostMillis, (int) patience.toMillis());
        long startNanos = System.nanoTime();
        try {
            return attempt(batch);
        } catch (ConnectException | UnknownHostException e) {
            return unreachable(e);
        } catch (IOException e) {
            // The server may have closed the idle connection just before it was reused. This is no
            // outage.
            if (System.nanoTime() - startNanos < 1_000_000_000L) {
                try {
                    return attempt(batch);
                } catch (IOException second) {
                    return unreachable(second);
                }
            }
            return unreachable(e);
        }
    }

    /** An expired certificate, or a wrong clock, may be the reason why a connection fails. */
    private SendResult unreachable(IOException e) {
        String hint = identity == null ? null : identity.clockHint();
        String difference = tls.clockDifference(central, e);
        return new SendResult.Unreachable(e
                + (hint == null ? "" : ". " + hint)
                + (difference == null ? "" : ". " + difference));
    }

    private SendResult attempt(OutgoingBatch batch) throws IOException {
        HttpURLConnection connection = open();
        connection.setRequestProperty("Content-Type", "application/x-komainu-batch");
        connection.setRequestProperty("Content-Encoding", "zstd");
        connection.setRequestProperty("Komainu-Batch", ascii(batch.id().toString()));
        connection.setRequestProperty(
                "Date",
                DateTimeFormatter.RFC_1123_DATE_TIME.format(clocks.now().atOffset(ZoneOffset.UTC)));
        String bearer = token();
        if (bearer != null) {
            connection.setRequestProperty("Authorization", "Bearer " + bearer);
        }
        connection.setFixedLengthStreamingMode(batch.body().length);
        int status;
        try {
            IOException writeFailure = null;
            try (OutputStream out = connection.getOutputStream()) {
                out.write(batch.body());
            } catch (IOException e) {
                // A server may respond (413, 401) before it has read the whole request, and close.
                writeFailure = e;
            }
            status = statusOf(connection, writeFailure);
        } catch (HttpRetryException e) {
            status = e.responseCode();
        }
        clocks.note(connection.getDate());
        if (status == 401 && identity != null) {
            return certificateRefused(identity);
        }
        return result(connection, status);
    }

    private HttpURLConnection open() throws IOException {
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        tls.prepare(connection);
        connection.setConnectTimeout(Math.min(timeoutMillis, 5_000));
        connection.setReadTimeout(timeoutMillis);
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        connection.setDoOutput(true);
        connection.setRequestMethod("POST");
        return connection;
    }

    /**
     * Asks for the reason of a 401 with an empty request: of a streamed one, the body of such a
     * response cannot be read.
     */
    private SendResult certificateRefused(PartIdentity refused) throws IOException {
        HttpURLConnection connection = open();
        connection.getOutputStream().close();
        int status = connection.getResponseCode();
        String body = body(connection, status);
        CertificateRefusal refusal = refused.refusal(body);
        return refusal == null
                ? new SendResult.Refused("401 " + body, null)
                : new SendResult.Refused(refusal.text(), refusal.problem());
    }

    private static int statusOf(HttpURLConnection connection, @Nullable IOException writeFailure)
            throws IOException {
        try {
            return connection.getResponseCode();
        } catch (HttpRetryException e) {
            throw e;
        } catch (IOException e) {
            throw writeFailure == null ? e : writeFailure;
        }
    }

    private SendResult result(HttpURLConnection connection, int status) throws IOException {
        String detail = status + " " + body(connection, status);
        switch (status) {
            case 200 -> {
                // Any other page with 200 (a captive portal, a wrong address) has stored nothing.
                return detail.contains("\"duplicate\"")
                        ? new SendResult.Stored(
                                connection.getHeaderField("Komainu-Centre"),
                                orders(detail),
                                judged(detail),
                                detailed(detail),
                                revoked(detail))
                        : new SendResult.Deferred(
                                "not a response of a central service: " + detail,
                                Duration.ZERO,
                                Duration.ZERO,
                                true);
            }
            case 400, 413, 422 -> {
                return new SendResult.Poisoned(detail);
            }
            case 401, 403 -> {
                token = null;
                return new SendResult.Refused(detail, null);
            }
            default -> {
                Duration after = retryAfter(connection);
                return new SendResult.Deferred(
                        detail, after, after, CentralRoute.isElsewhere(status));
            }
        }
    }

    /** Returns the signed orders of a response. Texts with other characters are ignored. */
    private static List<String> orders(String receipt) {
        Matcher list = ORDERS.matcher(receipt);
        return list.find()
                ? ORDER.matcher(list.group(1))
                        .results()
                        .map(order -> order.group(1))
                        .toList()
                : List.of();
    }

    private static Set<String> detailed(String receipt) {
        Matcher list = DETAILED.matcher(receipt);
        return list.find()
                ? DETAILED_SERVICE
                        .matcher(list.group(1))
                        .results()
                        .map(service -> service.group(1))
                        .collect(Collectors.toUnmodifiableSet())
                : Set.of();
    }

    private static Set<String> revoked(String receipt) {
        Matcher list = REVOKED.matcher(receipt);
        return list.find()
                ? PART.matcher(list.group(1))
                        .results()
                        .map(part -> part.group(1))
                        .collect(Collectors.toUnmodifiableSet())
                : Set.of();
    }

    private static Map<String, String> judged(String receipt) {
        Matcher list = JUDGED.matcher(receipt);
        if (!list.find()) {
            return Map.of();
        }
        Map<String, String> states = new HashMap<>();
        Matcher entry = JUDGEMENT.matcher(list.group(1));
        while (entry.find()) {
            states.put(entry.group(1), entry.group(2));
        }
        return states;
    }

    private static String body(HttpURLConnection connection, int status) {
        try (InputStream in =
                status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            if (in == null) {
                return "";
            }
            String text = new String(
                    in.readNBytes(status == 200 ? RECEIPT_BYTES : DETAIL_BYTES),
                    StandardCharsets.UTF_8);
            in.skipNBytes(Math.min(in.available(), 64 << 10));
            return text.strip();
        } catch (IOException e) {
            return "";
        }
    }

    private static Duration retryAfter(HttpURLConnection connection) {
        String text = connection.getHeaderField("Retry-After");
        try {
            return text == null
                    ? Duration.ZERO
                    : Duration.ofSeconds(Math.clamp(Long.parseLong(text.strip()), 0, 300));
        } catch (NumberFormatException e) {
            return Duration.ZERO;
        }
    }

    /**
     * Replaces characters that field values must not contain: only visible ASCII is allowed (RFC
     * 9110 section 5.5). The batch itself contains the exact name.
     */
    private static String ascii(String text) {
        return text.replaceAll("[^\\x21-\\x7E]", "?");
    }

    private @Nullable String token() throws IOException {
        if (token == null && tokenFile != null) {
            token = ascii(Files.readString(tokenFile).strip());
        }
        return token;
    }
}
