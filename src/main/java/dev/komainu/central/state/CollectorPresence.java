package dev.komainu.central.state;

import org.jspecify.annotations.Nullable;

/**
 * Which collectors speak of a service now.
 *
 * @param heard windows of packets or proxy came lately, so that silence is known to be silence
 * @param hostSeen samples of its node come
 * @param node where it runs; absent when only its traffic is seen
 * @param agentReports an agent beside it reports
 */
public record CollectorPresence(
        boolean heard, boolean hostSeen, @Nullable String node, boolean agentReports) {}
