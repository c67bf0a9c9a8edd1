/**
 * Tunnels: bytes both ways, unread. In: a channel, and the other end of the tunnel: a second
 * channel, or a stream. Out: bytes, half-closes and resets of each end at the other, and counts.
 * Thread: the event loop of the channel, which is that of the other end too. Start at
 * {@link dev.komainu.intermediary.tunnel.TunnelChannel};
 * {@link dev.komainu.intermediary.tunnel.Tunnel} joins two of them.
 */
@NullMarked
package dev.komainu.intermediary.tunnel;

import org.jspecify.annotations.NullMarked;
