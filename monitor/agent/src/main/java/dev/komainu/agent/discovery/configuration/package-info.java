/**
 * What all servers' configurations have in common: files read within bounds and watched for
 * changes, values that are numbers or known words, places of access logs, servers behind.
 *
 * <p>In: a {@link dev.komainu.agent.discovery.configuration.ConfigurationSubject}. Out: a
 * {@link dev.komainu.agent.discovery.configuration.ServerConfiguration}. Only values that
 * {@link dev.komainu.agent.discovery.configuration.ValueFilter} lets pass are ever kept, so no
 * secret can leave a configuration file. Thread: discovery's. Start at
 * {@link dev.komainu.agent.discovery.configuration.ConfigurationFindings}.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.configuration;

import org.jspecify.annotations.NullMarked;
