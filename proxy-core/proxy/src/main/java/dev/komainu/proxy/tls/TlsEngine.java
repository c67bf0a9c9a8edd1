package dev.komainu.proxy.tls;

import io.netty.handler.ssl.OpenSsl;
import java.util.Locale;

/** Who speaks TLS with clients (docs/decisions/0048-tls-by-boringssl.md). */
public enum TlsEngine {
    /** The native one where it can be had, else Java's. */
    AUTO,
    /** BoringSSL: about a third of Java's time for a handshake. */
    NATIVE,
    /** Java's own: runs wherever the JVM runs. */
    JDK;

    /**
     * Reads {@code auto}, {@code native} or {@code jdk}.
     *
     * @throws IllegalArgumentException naming the text and what was expected
     */
    public static TlsEngine parse(String text) {
        for (TlsEngine engine : values()) {
            if (engine.text().equals(text)) {
                return engine;
            }
        }
        throw new IllegalArgumentException(text + " (expected: auto, native, jdk)");
    }

    /** As it is written in settings. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it can be had on this system. Asking for the native one loads its library. */
    public boolean isAvailable() {
        return this != NATIVE || OpenSsl.isAvailable();
    }

    /** Never {@link #AUTO}. */
    TlsEngine resolved() {
        return this == AUTO ? NATIVE.isAvailable() ? NATIVE : JDK : this;
    }

    /** Why the native one cannot be had; empty when it can. */
    static String whyNotNative() {
        Throwable cause = OpenSsl.unavailabilityCause();
        return cause == null ? "" : String.valueOf(cause.getMessage());
    }
}
