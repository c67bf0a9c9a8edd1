package dev.komainu.proxy.tls;

import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Why a handshake came to nothing. */
public enum HandshakeFault {
    /** What came was no TLS. */
    NOT_TLS,
    /** The client was gone before the end. */
    LEFT,
    /** No version that both speak. */
    VERSION,
    /** No cipher suite, group or signature scheme that both know. */
    SUITE,
    /** The client refused: by an alert, mostly because it does not trust the certificate. */
    ALERT,
    /** Anything else, such as a broken message. */
    OTHER;

    /** As it is written in metrics. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Engines tell the kind by their texts only: Java's as {@code Received fatal alert:
     * unknown_ca}, BoringSSL's as {@code error:10000418:SSL
     * routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA}.
     *
     * @param cause absent when the connection was closed
     */
    static HandshakeFault of(@Nullable Throwable cause) {
        SSLException said = null;
        for (Throwable each = cause;
                each != null;
                each = each.getCause() == each ? null : each.getCause()) {
            if (each instanceof NotSslRecordException) {
                return NOT_TLS;
            }
            if (each instanceof ClosedChannelException) {
                return LEFT;
            }
            if (said == null && each instanceof SSLException first) {
                said = first;
            }
        }
        if (said == null) {
            // Nothing from the engine: the socket was reset.
            return cause == null || cause instanceof java.io.IOException ? LEFT : OTHER;
        }
        return of(String.valueOf(said.getMessage()));
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
