package dev.komainu.organizer.line.tunnel;

import dev.komainu.organizer.line.StreamAcceptor;
import java.util.Map;

/**
 * The protocols of tunnels beside plain TCP and WebSocket.
 *
 * @param dialled by {@code :protocol}: protocols that are dialled and relayed like TCP
 * @param others by {@code :protocol}: acceptors of all other protocols
 */
public record TunnelKinds(Map<String, TunnelKind> dialled, Map<String, StreamAcceptor> others) {

    public static final TunnelKinds NONE = new TunnelKinds(Map.of(), Map.of());
}
