/**
 * TLS for clients. In: certificates and keys as files, a new channel. Out: a channel whose
 * handshake is complete, and the protocol agreed on (ALPN). Thread: handshakes on their
 * connection's event loop; a thread of its own checks the files. The engine is BoringSSL or Java's
 * ({@link dev.komainu.proxy.tls.TlsEngine}). Start at {@link dev.komainu.proxy.tls.Certificates}.
 *
 * <p>Decisions: docs/decisions/0041-tls-by-javas-engine.md,
 * docs/decisions/0048-tls-by-boringssl.md, docs/decisions/0097-pem-and-der.md
 */
@NullMarked
package dev.komainu.proxy.tls;

import org.jspecify.annotations.NullMarked;
