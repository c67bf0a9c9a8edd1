package dev.komainu.central.union;

import dev.komainu.telemetry.record.ServiceWindow;

/**
 * One second of a service, from all sources.
 *
 * @param window each connection counts once; named by the service's own id
 * @param estimated whether the window is an estimate, because a source saw too many connections
 */
public record SettledSecond(long second, ServiceWindow window, boolean estimated) {}
