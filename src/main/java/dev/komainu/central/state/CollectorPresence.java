package dev.komainu.central.state;

import org.jspecify.annotations.Nullable;

/**
 * The collectors that report on a service at present.
 *
 * @param heard windows of packets or proxy arrived recently, so that zero traffic is known to be
 *     real
 * @param hostSeen samples of its node arrive
 * @param node where it runs; absent when only its traffic is seen
 * @param agentReports an agent beside it reports
 */
public record CollectorPresence(
        boolean heard, boolean hostSeen, @Nullable String node, boolean agentReports) {}
