package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * The unencrypted facts of a TLS handshake.
 *
 * @param version negotiated version, such as {@code 1.3}
 * @param sni server name requested by the client (RFC 6066 section 3)
 * @param alpn negotiated protocol if visible (RFC 7301; the server encrypts it in TLS 1.3, and the
 *     client's first offer is not reported instead)
 * @param handshakeDoneMicros time from which application data could be sent
 */
public record TlsFacts(
        @Nullable String version,
        @Nullable String sni,
        @Nullable String alpn,
        @Nullable Long handshakeDoneMicros) {}
