package dev.komainu.intermediary.upstream;

/**
 * The knowledge about servers that the origin pools of all event loops share. Both components are
 * thread-safe.
 *
 * @param addresses of server names, with the guard that permits them
 * @param health of the servers that routes name
 */
public record KnownServers(AddressResolver addresses, HealthRegistry health) {}
