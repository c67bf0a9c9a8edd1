package dev.komainu.central.ingest;

import dev.komainu.telemetry.record.Batch;

/** The check of a batch before it is stored. Any thread. */
public interface BatchAdmission {

    /**
     * Returns the batch without the records that exceed a limit.
     *
     * @param credential the token or user that sent the batch
     * @throws QuotaException when the whole batch is refused; its source must keep it and retry
     */
    Batch admit(Batch batch, String credential) throws QuotaException;

    /** The refusal of a whole batch because a limit is reached. */
    final class QuotaException extends Exception {

        private static final long serialVersionUID = 1;

        /** Creates the refusal; the message names the limit and the value. */
        public QuotaException(String message) {
            super(message);
        }
    }
}
