/**
 * Addresses of clients behind a load balancer or TLS terminator that speaks the PROXY protocol.
 *
 * <p>In: the first bytes of a connection from a trusted address. Out: the client's address, and the
 * channel for the handlers of its protocol. Thread: the channel's event loop. Start at
 * {@link dev.komainu.intermediary.proxyprotocol.ProxyProtocolHandler}.
 *
 * <p>Decision: docs/decisions/0104-doors-by-netty.md
 */
@NullMarked
package dev.komainu.intermediary.proxyprotocol;

import org.jspecify.annotations.NullMarked;
