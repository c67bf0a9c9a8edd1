/**
 * php-fpm: the global section and the pool that listens on a port, includes followed.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.phpfpm.PhpFpmReader}. Thread: discovery's.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.phpfpm;

import org.jspecify.annotations.NullMarked;
