package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts that have lost their identity, as the central service told. They are kept in a file, so
 * that they stay refused after a restart, while the central service is away, and when it forgets
 * them because it was restored from an older copy. Any thread.
 */
final class RevokedParts {

    private static final Logger LOG = LoggerFactory.getLogger(RevokedParts.class);

    /**
     * Largest number of known parts; the oldest are forgotten. Their certificates end meanwhile.
     */
    static final int MOST = 4_096;

    private final IdentityFiles files;
    /** Guarded by this; the oldest first. */
    private final Set<String> known = new LinkedHashSet<>();

    RevokedParts(IdentityFiles files) throws IOException {
        this.files = files;
        known.addAll(files.revoked());
    }

    synchronized boolean contains(String part) {
        return known.contains(part);
    }

    /** Adds parts. Returns whether one of them was not known. */
    synchronized boolean add(Collection<String> parts) {
        if (!known.addAll(parts)) {
            return false;
        }
        known.stream().limit(Math.max(0, known.size() - MOST)).toList().forEach(known::remove);
        try {
            files.writeRevoked(known);
        } catch (IOException e) {
            LOG.warn(
                    "Revoked parts cannot be written to {} and are forgotten at the end of this"
                            + " process: {}",
                    files.directory(),
                    e.getMessage());
        }
        return true;
    }
}
