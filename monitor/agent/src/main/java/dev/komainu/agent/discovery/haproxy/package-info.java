/**
 * HAProxy: the sections of its files that apply to one port, their defaults, their backends.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.haproxy.HaproxyReader}. Thread: discovery's.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.haproxy;

import org.jspecify.annotations.NullMarked;
