package dev.komainu.agent.order;

import dev.komainu.telemetry.wire.SignedOrder;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whose orders are followed where the operator named no key: that of the central service met first,
 * kept in a file ever after. Asked for over TLS or on this very host only ({@code ChangeSettings}
 * sees to that).
 */
public final class OrderKey {

    private static final Pattern KEY = Pattern.compile("\"key\"\\s*:\\s*\"([A-Za-z0-9_-]{43})\"");
    private static final int MILLIS = 5_000;

    private final Path file;
    private final URI central;
    private final @Nullable Path tokenFile;

    public OrderKey(Path file, URI central, @Nullable Path tokenFile) {
        this.file = file;
        this.central = central;
        this.tokenFile = tokenFile;
    }

    /** @throws IOException when it is neither kept here nor told by the central service now */
    public PublicKey find() throws IOException {
        try {
            if (!Files.exists(file)) {
                String fetched = fetch();
                SignedOrder.key(fetched);
                Files.createDirectories(file.toAbsolutePath().getParent());
                Files.writeString(file, fetched + "\n");
                System.err.println("agent: orders of the key " + fetched
                        + " are followed from now on; kept in " + file);
            }
            return SignedOrder.key(Files.readString(file));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private String fetch() throws IOException {
        String base = central.toString().replaceFirst("/+$", "");
        HttpURLConnection connection = (HttpURLConnection)
                URI.create(base + "/api/v1/order-key").toURL().openConnection();
        connection.setConnectTimeout(MILLIS);
        connection.setReadTimeout(MILLIS);
        connection.setInstanceFollowRedirects(false);
        if (tokenFile != null) {
            connection.setRequestProperty(
                    "Authorization", "Bearer " + Files.readString(tokenFile).strip());
        }
        if (connection.getResponseCode() != 200) {
            throw new IOException(base + ": answered " + connection.getResponseCode()
                    + " (expected: its order key)");
        }
        try (InputStream in = connection.getInputStream()) {
            Matcher key = KEY.matcher(new String(in.readNBytes(4_096), StandardCharsets.UTF_8));
            if (!key.find()) {
                throw new IOException(base + ": told no order key");
            }
            return key.group(1);
        }
    }
}
