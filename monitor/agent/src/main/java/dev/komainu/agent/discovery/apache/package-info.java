/**
 * Apache: its configuration as the running server took it, what its multi-processing module makes
 * of it, logs and servers behind.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.apache.ApacheReader}. Thread: discovery's.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.apache;

import org.jspecify.annotations.NullMarked;
