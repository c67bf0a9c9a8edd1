package dev.komainu.central.alert.notify;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A POST of JSON to an address that an administrator configured. It connects to the very address
 * that the {@link ReceiverGuard} has checked; the HTTP clients of the Java platform resolve the
 * name a second time. A redirect is not followed, so that only the administrator chooses the
 * target. The response's body is not read. Any thread.
 */
final class WebhookPost {

    private static final Logger LOG = LoggerFactory.getLogger(WebhookPost.class);
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-5][0-9][0-9])( .*)?");
    private static final int LONGEST_HEAD = 16 << 10;

    private final ReceiverGuard guard;
    private final Duration timeout;

    WebhookPost(ReceiverGuard guard, Duration timeout) {
        this.guard = guard;
        this.timeout = timeout;
    }

    DeliveryOutcome send(String url, Map<String, String> headers, byte[] json) {
        URI uri = URI.create(url);
        byte[] request = request(uri, headers, json);
        CompletableFuture<Integer> status = new CompletableFuture<>();
        try (Socket socket = new Socket()) {
            Thread.ofVirtual().name("webhook").start(() -> {
                try {
                    status.complete(exchange(socket, uri, request));
                } catch (IOException | RuntimeException e) {
                    status.completeExceptionally(e);
                }
            });
            // Twice the timeout: once to connect, once for the response. The socket's own timeouts
            // usually end it earlier.
            return outcome(status.get(2 * timeout.toMillis() + 500, TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return failed(uri, e);
        } catch (ExecutionException e) {
            return failed(uri, e.getCause() == null ? e : e.getCause());
        } catch (IOException e) {
            return failed(uri, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return DeliveryOutcome.later("interrupted");
        }
    }

    private static boolean isTls(URI uri) {
        return "https".equalsIgnoreCase(uri.getScheme());
    }

    private static int port(URI uri) {
        return uri.getPort() >= 0 ? uri.getPort() : isTls(uri) ? 443 : 80;
    }

    /** Connects, sends the request and returns the status of the response. */
    private int exchange(Socket socket, URI uri, byte[] request) throws IOException {
        InetSocketAddress target = guard.resolve(uri.getHost(), port(uri));
        int millis = (int) timeout.toMillis();
        socket.connect(target, millis);
        socket.setSoTimeout(millis);
        if (!isTls(uri)) {
            return exchange(socket, request);
        }
        SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
        try (SSLSocket tls =
                (SSLSocket) factory.createSocket(socket, uri.getHost(), port(uri), true)) {
            SSLParameters parameters = tls.getSSLParameters();
            // The certificate must be that of the name (RFC 9110 section 4.3.4).
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            tls.setSSLParameters(parameters);
            return exchange(tls, request);
        }
    }

    private static int exchange(Socket socket, byte[] request) throws IOException {
        socket.getOutputStream().write(request);
        socket.getOutputStream().flush();
        InputStream in = socket.getInputStream();
        int[] left = {LONGEST_HEAD};
        while (true) {
            Matcher line = STATUS.matcher(line(in, left));
            if (!line.matches()) {
                throw new IOException("no HTTP response");
            }
            int status = Integer.parseInt(line.group(1));
            if (status >= 200) {
                return status;
            }
            // An interim response ends with an empty line (RFC 9110 section 15.2).
            while (!line(in, left).isEmpty()) {
                // its fields have no meaning here
            }
        }
    }

    private static String line(InputStream in, int[] left) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 || --left[0] < 0) {
                throw new IOException("no complete HTTP response");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    private static byte[] request(URI uri, Map<String, String> headers, byte[] json) {
        String path =
                uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("Host", uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort()));
        fields.put("User-Agent", "Komainu");
        fields.put("Content-Type", "application/json");
        fields.put("Content-Length", Integer.toString(json.length));
        fields.put("Connection", "close");
        fields.putAll(headers);
        StringBuilder head = new StringBuilder("POST " + path + query + " HTTP/1.1\r\n");
        fields.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        byte[] headBytes = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream whole = new ByteArrayOutputStream(headBytes.length + json.length);
        whole.writeBytes(headBytes);
        whole.writeBytes(json);
        return whole.toByteArray();
    }

    private static DeliveryOutcome failed(URI uri, Throwable reason) {
        for (Throwable cause = reason; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return DeliveryOutcome.later("TLS: " + cause.getMessage());
            }
        }
        // Without path and query, which may be secret.
        LOG.warn("A webhook to {}:{} failed: {}", uri.getHost(), port(uri), reason.toString());
        return DeliveryOutcome.later(ReceiverGuard.NOT_REACHED);
    }

    private static DeliveryOutcome outcome(int status) {
        String text = "HTTP " + status;
        if (status >= 200 && status < 300) {
            return DeliveryOutcome.delivered(text);
        }
        if (status >= 300 && status < 400) {
            return DeliveryOutcome.never(
                    text + " (a redirect is not followed; configure its target address)");
        }
        // 408, 425, 429: retry later (RFC 9110 section 15.5.9, RFC 8470, RFC 6585). Other 4xx: the
        // request is wrong.
        boolean later = status >= 500 || status == 408 || status == 425 || status == 429;
        return later ? DeliveryOutcome.later(text) : DeliveryOutcome.never(text);
    }
}
