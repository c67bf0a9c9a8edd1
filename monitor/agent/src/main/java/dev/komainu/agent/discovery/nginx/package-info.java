/**
 * nginx: its configuration as a tree, what holds for one port in it, and the servers behind.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.nginx.NginxReader}. Thread: discovery's.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.nginx;

import org.jspecify.annotations.NullMarked;
