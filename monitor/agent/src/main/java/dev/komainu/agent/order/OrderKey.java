package dev.komainu.agent.order;

import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.identity.CentralRoute;
import dev.komainu.telemetry.identity.CentralTls;
import dev.komainu.telemetry.wire.SignedOrder;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The key of trusted orders when the operator configured none: the key of the first central service
 * reached, stored in a file from then on. It is retrieved only over TLS or from this host
 * ({@code ChangeSettings} ensures that).
 */
public final class OrderKey {

    private static final Pattern KEY = Pattern.compile("\"key\"\\s*:\\s*\"([A-Za-z0-9_-]{43})\"");
    private static final int TIMEOUT_MILLIS = 5_000;

    private final Path file;
    private final CentralRoute route;
    private final @Nullable Path tokenFile;
    private final CentralTls tls;

    /**
     * Names the key.
     *
     * @param route to the central service
     * @param tokenFile token for the central service; absent: the certificate of {@code tls} is
     *     shown
     */
    public OrderKey(Path file, CentralRoute route, @Nullable Path tokenFile, CentralTls tls) {
        this.file = file;
        this.route = route;
        this.tokenFile = tokenFile;
        this.tls = tls;
    }

    /**
     * Returns the stored key, or retrieves and stores it.
     *
     * @throws IOException when it is neither stored nor available from the central service
     */
    public PublicKey find() throws IOException {
        try {
            if (!Files.exists(file)) {
                String fetched = fetch();
                SignedOrder.key(fetched);
                PrivateFiles.parentOf(file);
                PrivateFiles.replace(file, (fetched + "\n").getBytes(StandardCharsets.US_ASCII));
                System.err.println("agent: accepts orders signed with the key " + fetched
                        + "; stored in " + file);
            }
            return SignedOrder.key(Files.readString(file));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private String fetch() throws IOException {
        IOException last = null;
        for (URI each : route.next()) {
            try {
                return fetch(each);
            } catch (IOException e) {
                route.failed(each, String.valueOf(e.getMessage()), Duration.ZERO);
                last = e;
            }
        }
        throw new IOException(route.failures(), last);
    }

    private String fetch(URI central) throws IOException {
        String base = central.toString().replaceFirst("/+$", "");
        HttpURLConnection connection = (HttpURLConnection)
                URI.create(base + "/api/v1/order-key").toURL().openConnection();
        tls.prepare(connection);
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        connection.setInstanceFollowRedirects(false);
        if (tokenFile != null) {
            connection.setRequestProperty(
                    "Authorization", "Bearer " + Files.readString(tokenFile).strip());
        }
        if (connection.getResponseCode() != 200) {
            throw new IOException(base + ": status " + connection.getResponseCode()
                    + " (expected: its order key)");
        }
        try (InputStream in = connection.getInputStream()) {
            Matcher key = KEY.matcher(new String(in.readNBytes(4_096), StandardCharsets.UTF_8));
            if (!key.find()) {
                throw new IOException(base + ": response without an order key");
            }
            return key.group(1);
        }
    }
}
