/**
 * TLS for clients. In: certificates and keys as files, a new channel. Out: a channel whose
 * handshake is through, and the protocol agreed on (ALPN). Thread: handshakes on their connection's
 * event loop; the files are looked at by a thread of their own. Spoken by BoringSSL or by Java's
 * engine ({@link dev.komainu.proxy.tls.TlsEngine}). Start at
 * {@link dev.komainu.proxy.tls.Certificates}.
 *
 * <p>Decisions: docs/decisions/0041-tls-by-javas-engine.md,
 * docs/decisions/0048-tls-by-boringssl.md, docs/decisions/0097-pem-and-der.md
 */
@NullMarked
package dev.komainu.proxy.tls;

import org.jspecify.annotations.NullMarked;
