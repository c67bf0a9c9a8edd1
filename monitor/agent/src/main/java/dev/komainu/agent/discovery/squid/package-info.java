/**
 * Squid: the directives of its {@code squid.conf}, with conditions and includes evaluated.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.squid.SquidReader}. Thread: discovery's.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.squid;

import org.jspecify.annotations.NullMarked;
