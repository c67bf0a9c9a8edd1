/**
 * HTTP/1 messages as bytes: strict reading (RFC 9112), never repairing. Leaf of the proxy.
 *
 * <p>In: bytes as they arrived. Out: heads whose fields are spans over those bytes, bodies without their framing, or one
 * {@link dev.komainu.proxy.http.MessageFault} naming what is wrong, where, and which section forbids it. Thread: the
 * event loop that owns the connection; nothing here is shared. Start at {@link dev.komainu.proxy.http.RequestHead}.
 */
@NullMarked
package dev.komainu.proxy.http;

import org.jspecify.annotations.NullMarked;
