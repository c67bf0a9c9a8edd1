/**
 * Apache: the configuration of the running server, the corrections of its multi-processing module,
 * logs and upstreams.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.apache.ApacheReader}. Thread: discovery's.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.apache;

import org.jspecify.annotations.NullMarked;
