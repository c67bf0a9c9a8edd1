/**
 * CONNECT: bytes both ways, unread. In: a client's channel and a permitted target. Out: its answer to CONNECT, then a
 * relay until both sides ended. Thread: the client's event loop, for both channels. Start at
 * {@link dev.komainu.intermediary.tunnel.Tunnel}.
 */
@NullMarked
package dev.komainu.intermediary.tunnel;

import org.jspecify.annotations.NullMarked;
