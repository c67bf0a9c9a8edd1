package dev.komainu.organizer.line.tunnel;

import dev.komainu.organizer.line.StreamAcceptor;
import java.util.Map;

/**
 * What an organizer takes beside plain TCP and WebSocket.
 *
 * @param dialled by {@code :protocol}: what is dialled and relayed like TCP
 * @param others by {@code :protocol}: what is answered otherwise
 */
public record TunnelKinds(Map<String, TunnelKind> dialled, Map<String, StreamAcceptor> others) {

    public static final TunnelKinds NONE = new TunnelKinds(Map.of(), Map.of());
}
