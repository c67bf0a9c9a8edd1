package dev.komainu.central.state;

import org.jspecify.annotations.Nullable;

/**
 * The collectors that report on a service at present.
 *
 * @param reports windows of packets or proxy arrived recently, so that zero traffic is a
 *     measurement
 * @param hostReports samples of its node arrive
 * @param node the host it runs on; absent when only its traffic is observed
 * @param agentReports an agent beside it reports
 */
public record CollectorPresence(
        boolean reports, boolean hostReports, @Nullable String node, boolean agentReports) {}
