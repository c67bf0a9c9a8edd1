package dev.komainu.proxy.tls;

import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The reason why a handshake failed. */
public enum HandshakeFault {
    /** The bytes were not TLS. */
    NOT_TLS,
    /** The client left before the end. */
    LEFT,
    /** No common version. */
    VERSION,
    /** No common cipher suite, group or signature scheme. */
    SUITE,
    /**
     * The client refused with an alert, in most cases because it does not trust the certificate.
     */
    ALERT,
    /** Anything else, such as a broken message. */
    OTHER;

    /** Returns the name in metrics. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the reason for an exception. Engines report the kind only by their texts: Java's as
     * {@code Received fatal alert: unknown_ca}, BoringSSL's as {@code error:10000418:SSL
     * routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA}.
     *
     * @param cause null when the connection was closed
     */
    static HandshakeFault of(@Nullable Throwable cause) {
        SSLException found = null;
        for (Throwable current = cause;
                current != null;
                current = current.getCause() == current ? null : current.getCause()) {
            if (current instanceof NotSslRecordException) {
                return NOT_TLS;
            }
            if (current instanceof ClosedChannelException) {
                return LEFT;
            }
            if (found == null && current instanceof SSLException first) {
                found = first;
            }
        }
        if (found == null) {
            // Nothing from the engine: the socket was reset.
            return cause == null || cause instanceof java.io.IOException ? LEFT : OTHER;
        }
        return of(String.valueOf(found.getMessage()));
    }

    private static HandshakeFault of(String message) {
        String text = message.toLowerCase(Locale.ROOT);
        if (text.contains("connection closed while")) {
            return LEFT;
        }
        if (text.contains("fatal alert") || text.contains("_alert_")) {
            return ALERT;
        }
        if (text.contains("protocol_version")
                || text.contains("unsupported_protocol")
                || text.contains("requested protocol")
                || text.contains("no supported versions")
                || text.contains("supported_versions")) {
            return VERSION;
        }
        if (text.contains("cipher")
                || text.contains("shared_group")
                || text.contains("named group")
                || text.contains("signature_algorithms")
                || text.contains("signature algorithm")
                || text.contains("no_common_signature")) {
            return SUITE;
        }
        return OTHER;
    }
}
