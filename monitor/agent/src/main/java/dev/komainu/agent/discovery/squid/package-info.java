/**
 * Squid: what its {@code squid.conf} says, conditions and includes followed.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.squid.SquidReader}. Thread: discovery's.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.squid;

import org.jspecify.annotations.NullMarked;
