/**
 * HTTP/1 messages as bytes: parsed strictly (RFC 9112), never repaired. All other packages build on
 * this one.
 *
 * <p>In: bytes as they arrived. Out: heads whose fields are spans over those bytes, bodies without
 * their framing, or one {@link dev.komainu.intermediary.message.MessageFault} with the reason and
 * the section that forbids it. Thread: the event loop that owns the connection; nothing here is
 * shared. Start at {@link dev.komainu.intermediary.message.RequestHead}.
 *
 * <p>Decision: docs/decisions/0090-five-modules-between-client-and-server.md
 */
@NullMarked
package dev.komainu.intermediary.message;

import org.jspecify.annotations.NullMarked;
