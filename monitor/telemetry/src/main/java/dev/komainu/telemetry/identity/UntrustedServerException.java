package dev.komainu.telemetry.identity;

import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import org.jspecify.annotations.Nullable;

/** A certificate of the central service that is not accepted, with the reason in plain words. */
final class UntrustedServerException extends CertificateException {

    private final boolean isLasting;

    /**
     * Creates the exception.
     *
     * @param isLasting whether another attempt with the same code fails too; false: a clock may be
     *     set meanwhile
     */
    UntrustedServerException(
            String message, boolean isLasting, @Nullable GeneralSecurityException cause) {
        super(message, cause);
        this.isLasting = isLasting;
    }

    boolean isLasting() {
        return isLasting;
    }

    /** Returns the exception that made a connection fail; null when there is none. */
    static @Nullable UntrustedServerException in(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof UntrustedServerException found) {
                return found;
            }
        }
        return null;
    }
}
