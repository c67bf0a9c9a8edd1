package dev.komainu.central.audit.outside;

import dev.komainu.central.audit.AuditEntry;
import java.io.IOException;

/** A receiver of audit entries outside the service. One thread. */
interface AuditSink extends AutoCloseable {

    /** The sink's name in metrics and in the console. */
    String name();

    /** The address, without secrets. */
    String place();

    /**
     * Sends one entry.
     *
     * @throws IOException when a later attempt can succeed
     * @throws RefusedEntryException when no attempt can succeed
     */
    void send(AuditEntry entry, String signature) throws IOException, RefusedEntryException;

    @Override
    void close();

    /** The receiver refused an entry for good. */
    final class RefusedEntryException extends Exception {
        private static final long serialVersionUID = 1;

        RefusedEntryException(String message) {
            super(message);
        }
    }
}
