package dev.komainu.proxy.tls;

import io.netty.handler.ssl.OpenSsl;
import java.util.Locale;

/** The engine for TLS with clients (docs/decisions/0048-tls-by-boringssl.md). */
public enum TlsEngine {
    /** The native one where it is available, else Java's. */
    AUTO,
    /** BoringSSL: about a third of Java's time for a handshake. */
    NATIVE,
    /** Java's own: runs wherever the JVM runs. */
    JDK;

    /**
     * Reads {@code auto}, {@code native} or {@code jdk}.
     *
     * @throws IllegalArgumentException with the text and the expected values
     */
    public static TlsEngine parse(String text) {
        for (TlsEngine engine : values()) {
            if (engine.text().equals(text)) {
                return engine;
            }
        }
        throw new IllegalArgumentException(text + " (expected: auto, native, jdk)");
    }

    /** Returns the name in settings. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reports whether it is available on this system. For the native one this loads its library.
     */
    public boolean isAvailable() {
        return this != NATIVE || OpenSsl.isAvailable();
    }

    /** Returns the engine to use, never {@link #AUTO}. */
    TlsEngine resolved() {
        return this == AUTO ? NATIVE.isAvailable() ? NATIVE : JDK : this;
    }

    /** Returns the reason why the native one is not available; empty when it is. */
    static String whyNotNative() {
        Throwable cause = OpenSsl.unavailabilityCause();
        return cause == null ? "" : String.valueOf(cause.getMessage());
    }
}
