/**
 * nginx: its configuration as a tree, the values that apply to one port, and the upstream servers.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.nginx.NginxReader}. Thread: discovery's.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.nginx;

import org.jspecify.annotations.NullMarked;
