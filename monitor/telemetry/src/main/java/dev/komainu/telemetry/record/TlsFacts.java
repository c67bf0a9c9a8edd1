package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * What a TLS handshake shows in the clear.
 *
 * @param version negotiated version, such as {@code 1.3}
 * @param sni server name the client asked for (RFC 6066 section 3)
 * @param alpn protocol, where visible (RFC 7301; encrypted by the server in TLS 1.3, so the
 *     client's first offer is not it)
 * @param handshakeDoneMicros instant at which application data could begin
 */
public record TlsFacts(
        @Nullable String version,
        @Nullable String sni,
        @Nullable String alpn,
        @Nullable Long handshakeDoneMicros) {}
