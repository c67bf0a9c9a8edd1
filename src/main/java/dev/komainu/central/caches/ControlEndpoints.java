package dev.komainu.central.caches;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The control endpoints of proxies and organizers, from the administrator's file:
 *
 * <pre>
 *   # SERVICE      CONTROL                   TOKEN
 *   web-01:7680    https://10.0.0.7:7681     a-token-of-enough-length
 *   shop/web1      http://127.0.0.1:7692     another-token
 * </pre>
 *
 * The file is read again when it changes, so that a new proxy or token needs no restart. A line
 * with a mistake is left out and logged once. Any thread.
 */
@Component
public class ControlEndpoints {

    private static final Logger log = LoggerFactory.getLogger(ControlEndpoints.class);

    private final @Nullable Path file;
    /** Guarded by this. */
    private List<Entry> entries = List.of();
    /** Guarded by this. */
    private @Nullable Stamp read;

    public ControlEndpoints(CachesSettings settings) {
        this.file = settings.file();
    }

    private record Stamp(FileTime changed, long size) {}

    /**
     * One line of the file.
     *
     * @param service the proxy's id or any name it is known by; {@code CLUSTER/MEMBER} of an
     *     organizer
     * @param control its control endpoint, {@code http://HOST:PORT} or https
     * @param token absent: only requests that need no token are sent
     */
    public record Entry(
            String service, URI control, @Nullable String token) {

        /** Returns the line without the token: this text may be logged. */
        @Override
        public String toString() {
            return service + " " + control;
        }
    }

    /**
     * Finds the entry of a service.
     *
     * @param canonical returns the id for any name of a service
     */
    public Optional<Entry> find(String service, UnaryOperator<String> canonical) {
        String id = canonical.apply(service);
        return entries().stream()
                .filter(entry -> canonical.apply(entry.service()).equals(id))
                .findFirst();
    }

    /** Returns all lines without a mistake. */
    public synchronized List<Entry> entries() {
        Path path = file;
        if (path == null) {
            return List.of();
        }
        try {
            Stamp now = new Stamp(Files.getLastModifiedTime(path), Files.size(path));
            if (!now.equals(read)) {
                entries = parse(Files.readAllLines(path));
                read = now;
            }
        } catch (IOException e) {
            if (read != null || entries.isEmpty()) {
                log.warn("komainu.caches.file: {} (cannot be read: {})", path, e.toString());
            }
            entries = List.of();
            read = null;
        }
        return entries;
    }

    private List<Entry> parse(List<String> lines) {
        List<Entry> found = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] fields = line.split("\\s+");
            URI control = fields.length == 2 || fields.length == 3 ? uri(fields[1]) : null;
            if (control == null) {
                log.error(
                        "komainu.caches.file: line {} (expected: SERVICE https://HOST:PORT [TOKEN])",
                        i + 1);
            } else {
                found.add(new Entry(fields[0], control, fields.length == 3 ? fields[2] : null));
            }
        }
        return List.copyOf(found);
    }

    private static @Nullable URI uri(String text) {
        try {
            URI uri = URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
            boolean plain = uri.getRawPath().isEmpty()
                    && uri.getRawQuery() == null
                    && uri.getRawUserInfo() == null;
            return uri.getHost() != null
                            && plain
                            && (scheme.equals("http") || scheme.equals("https"))
                    ? uri
                    : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
