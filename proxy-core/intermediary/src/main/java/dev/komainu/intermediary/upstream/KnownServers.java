package dev.komainu.intermediary.upstream;

/**
 * What the origin pools of all event loops know of servers. Both members are safe for many threads.
 *
 * @param addresses of their names, and which of them may be dialled
 * @param health of those that routes name
 */
public record KnownServers(AddressResolver addresses, HealthRegistry health) {}
